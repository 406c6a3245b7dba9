/** Access tokens: JWTs signed with ES256, their public keys at /.well-known/jwks.json. [docs/sign-in#access-tokens] */
import {
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { newId } from '../../lib/ids.ts'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { sealedPlace, type Sealer } from '../../lib/seal.ts'

const ALGORITHM = 'ES256'
const AUDIENCE = 'gangway'
const ISSUER = 'gangway'
export const ACCESS_TOKEN_SECONDS = 3600
const REMEMBERED_TOKENS = 10_000

interface AccessTokenClaims {
  userId: string
  tenantId: string
  /** The sign-in of the token. Revoking it ends the token too. */
  familyId: string
}

export interface AccessTokens {
  issue(claims: AccessTokenClaims): Promise<string>
  /** @returns undefined if the token was not issued here, has expired or was changed */
  verify(token: string): Promise<AccessTokenClaims | undefined>
  /** Issues a token for one purpose. It is not accepted for any other purpose, nor as an access token. */
  issueFor(purpose: string, claims: JWTPayload, lifetimeSeconds: number): Promise<string>
  /** @returns undefined if the token was not issued for this purpose, has expired or was changed */
  verifyFor(purpose: string, token: string): Promise<JWTPayload | undefined>
  publicKeys(): { keys: JWK[] }
}

export async function createAccessTokens(db: Kysely<Tables>, sealer: Sealer): Promise<AccessTokens> {
  const signingKey = await loadSigningKey(db, sealer)
  const privateKey = await importJWK(signingKey.privateJwk, ALGORITHM)
  const keySet = { keys: [{ ...signingKey.publicJwk, kid: signingKey.id, alg: ALGORITHM, use: 'sig' }] }
  const findKey = createLocalJWKSet(keySet)
  // The result of a signature check cannot change, so verified tokens are cached until they expire.
  const known = createBoundedCache<string, AccessTokenClaims & { expiresAtSeconds: number }>(
    REMEMBERED_TOKENS,
  )

  return {
    issue: ({ userId, tenantId, familyId }) =>
      new SignJWT({ tid: tenantId })
        .setProtectedHeader({ alg: ALGORITHM, kid: signingKey.id, typ: 'JWT' })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(userId)
        .setJti(`${familyId}.${newId()}`)
        .setIssuedAt()
        .setExpirationTime(`${ACCESS_TOKEN_SECONDS}s`)
        .sign(privateKey),

    async verify(token) {
      const remembered = known.get(token)
      if (remembered) return remembered.expiresAtSeconds > Date.now() / 1000 ? remembered : undefined
      const verified = await jwtVerify<{ tid: string }>(token, findKey, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'tid', 'exp', 'jti'],
      }).catch(() => undefined)
      if (!verified) return undefined
      const { sub, tid, jti, exp } = verified.payload
      const claims = { userId: sub!, tenantId: tid, familyId: jti!.split('.')[0]!, expiresAtSeconds: exp! }
      known.set(token, claims)
      return claims
    },

    issueFor: (purpose, claims, lifetimeSeconds) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: ALGORITHM, kid: signingKey.id, typ: 'JWT' })
        .setIssuer(ISSUER)
        .setAudience(`${AUDIENCE}/${purpose}`)
        .setJti(newId())
        .setIssuedAt()
        .setExpirationTime(`${lifetimeSeconds}s`)
        .sign(privateKey),

    async verifyFor(purpose, token) {
      const options = { algorithms: [ALGORITHM], issuer: ISSUER, audience: `${AUDIENCE}/${purpose}` }
      const verified = await jwtVerify(token, findKey, { ...options, requiredClaims: ['exp', 'jti'] }).catch(
        () => undefined,
      )
      return verified?.payload
    },

    publicKeys: () => keySet,
  }
}

/**
 * Loads the signing key, which is created once in an installation. Two servers that start at the same time agree on the
 * older key.
 */
async function loadSigningKey(db: Kysely<Tables>, sealer: Sealer) {
  const place = (id: string) => sealedPlace('signing_keys', 'private_jwk_sealed', id)
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('gangway signing key'))`.execute(tx)
    const found = await findSigningKey(tx)
    if (found) {
      const privateJwk = JSON.parse(sealer.open(found.private_jwk_sealed, place(found.id))) as JWK
      return { id: found.id, publicJwk: found.public_jwk as JWK, privateJwk }
    }
    const pair = await generateKeyPair(ALGORITHM, { extractable: true })
    const id = newId()
    const [publicJwk, privateJwk] = await Promise.all([exportJWK(pair.publicKey), exportJWK(pair.privateKey)])
    const sealed = sealer.seal(JSON.stringify(privateJwk), place(id))
    const row = { id, public_jwk: JSON.stringify(publicJwk), private_jwk_sealed: sealed }
    await tx.insertInto('signing_keys').values(row).execute()
    return { id, publicJwk, privateJwk }
  })
}

const findSigningKey = (db: Kysely<Tables>) =>
  db.selectFrom('signing_keys').selectAll().orderBy('created_at').limit(1).executeTakeFirst()
