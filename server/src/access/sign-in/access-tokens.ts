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
  const { keySet, sign, verify } = await createSignatures(await loadSigningKey(db, sealer))
  // The result of a signature check cannot change, so verified tokens are cached until they expire.
  const known = createBoundedCache<string, AccessTokenClaims & { expiresAtSeconds: number }>(
    REMEMBERED_TOKENS,
  )

  return {
    issue: ({ userId, tenantId, familyId }) =>
      sign(
        { tid: tenantId, sub: userId, jti: `${familyId}.${newId()}` },
        { audience: AUDIENCE, lifetimeSeconds: ACCESS_TOKEN_SECONDS },
      ),

    async verify(token) {
      const remembered = known.get(token)
      if (remembered) return remembered.expiresAtSeconds > Date.now() / 1000 ? remembered : undefined
      const verified = await verify<{ tid: string }>(token, AUDIENCE, ['sub', 'tid', 'exp', 'jti'])
      if (!verified) return undefined
      const { sub, tid, jti, exp } = verified
      const claims = { userId: sub!, tenantId: tid, familyId: jti!.split('.')[0]!, expiresAtSeconds: exp! }
      known.set(token, claims)
      return claims
    },

    issueFor: (purpose, claims, lifetimeSeconds) =>
      sign({ ...claims, jti: newId() }, { audience: `${AUDIENCE}/${purpose}`, lifetimeSeconds }),

    verifyFor: (purpose, token) => verify(token, `${AUDIENCE}/${purpose}`, ['exp', 'jti']),

    publicKeys: () => keySet,
  }
}

interface SigningKey {
  id: string
  publicJwk: JWK
  privateJwk: JWK
}

async function createSignatures({ id, publicJwk, privateJwk }: SigningKey) {
  const privateKey = await importJWK(privateJwk, ALGORITHM)
  const keySet = { keys: [{ ...publicJwk, kid: id, alg: ALGORITHM, use: 'sig' }] }
  const findKey = createLocalJWKSet(keySet)
  return {
    keySet,

    sign: (
      claims: JWTPayload,
      { audience, lifetimeSeconds }: { audience: string; lifetimeSeconds: number },
    ) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: ALGORITHM, kid: id, typ: 'JWT' })
        .setIssuer(ISSUER)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime(`${lifetimeSeconds}s`)
        .sign(privateKey),

    async verify<Claims>(token: string, audience: string, requiredClaims: string[]) {
      const options = { algorithms: [ALGORITHM], issuer: ISSUER, audience, requiredClaims }
      const verified = await jwtVerify<Claims>(token, findKey, options).catch(() => undefined)
      return verified?.payload
    },
  }
}

/**
 * Loads the signing key, which is created once in an installation. Two servers that start at the same time agree on the
 * older key.
 */
async function loadSigningKey(db: Kysely<Tables>, sealer: Sealer): Promise<SigningKey> {
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
