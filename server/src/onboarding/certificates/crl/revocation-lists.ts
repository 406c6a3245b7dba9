/**
 * The revocation lists of authorities. A list is made when it is requested and missing, outdated by a revocation, or half
 * past its time; it is stored, so that all nodes serve the same one. [docs/certificates#revocation-list]
 */
import { X509Certificate } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Context } from '../../../context.ts'
import type { Tables } from '../../../database/tables.ts'
import type { AuthorityRow } from '../../../database/tables/certificates.ts'
import { createBoundedCache } from '../../../lib/bounded-cache.ts'
import { encodeCrl, type RevokedCertificate } from './encode-crl.ts'

const DAY_MS = 24 * 3600 * 1000
const VALID_MS = 7 * DAY_MS

export interface RevocationList {
  authorityId: string
  number: number
  /** DER. */
  crl: Buffer
  madeAt: Date
  nextUpdate: Date
}

export interface RevocationLists {
  /**
   * @param authorityId undefined for the active issuing authority
   * @returns undefined if there is no such authority, or its key is not here
   */
  get(tenantId: string, authorityId: string | undefined): Promise<RevocationList | undefined>
}

type Parts = Pick<Context, 'db' | 'authorities'>

/** Lists that this node has served; one of 20,000 certificates has 1 MB. */
const MAX_CACHED = 50

export function createRevocationLists(ctx: Parts): RevocationLists {
  const cached = createBoundedCache<string, RevocationList>(MAX_CACHED)
  const reading = new Map<string, Promise<RevocationList>>()
  /** Requests for a list that is being made wait together, with one connection to the database. */
  const read = (tenantId: string, id: string) => {
    const started = reading.get(id) ?? readOrMakeList(ctx, tenantId, id).finally(() => reading.delete(id))
    reading.set(id, started)
    return started
  }
  return {
    async get(tenantId, authorityId) {
      const state = await findListState(ctx.db, tenantId, authorityId)
      if (!state) return undefined
      const known = cached.get(state.id)
      if (known && known.number === Number(state.crl_number) && !isOld(state)) return known
      const list = await read(tenantId, state.id)
      cached.set(state.id, list)
      return list
    },
  }
}

const findListState = (db: Kysely<Tables>, tenantId: string, authorityId: string | undefined) =>
  db
    .selectFrom('certificate_authorities')
    .select(['id', 'crl_number', 'crl_made_at', 'crl_next_update', 'crl_outdated'])
    .where('tenant_id', '=', tenantId)
    .where('key_sealed', 'is not', null)
    .$if(authorityId !== undefined, (q) => q.where('id', '=', authorityId!))
    .$if(authorityId === undefined, (q) => q.where('kind', '=', 'issuing').where('status', '=', 'active'))
    .executeTakeFirst()

type ListState = Pick<AuthorityRow, 'crl_made_at' | 'crl_next_update' | 'crl_outdated'>

const isOld = ({ crl_made_at, crl_next_update, crl_outdated }: ListState): boolean =>
  crl_outdated ||
  !crl_made_at ||
  !crl_next_update ||
  Date.now() >= (crl_made_at.getTime() + crl_next_update.getTime()) / 2

/** The lock on the authority makes revocations wait that are not committed yet, or this wait for them. */
const readOrMakeList = ({ db, authorities }: Parts, tenantId: string, id: string): Promise<RevocationList> =>
  db.transaction().execute(async (tx) => {
    const row = await tx
      .selectFrom('certificate_authorities')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow()
    if (row.crl && !isOld(row))
      return {
        authorityId: id,
        number: Number(row.crl_number),
        crl: row.crl,
        madeAt: row.crl_made_at!,
        nextUpdate: row.crl_next_update!,
      }
    const number = Number(row.crl_number) + 1
    const madeAt = new Date(Math.floor(Date.now() / 1000) * 1000)
    const nextUpdate = new Date(madeAt.getTime() + VALID_MS)
    const crl = await encodeCrl(authorities.load(row), {
      number,
      thisUpdate: madeAt,
      nextUpdate,
      revoked: row.kind === 'root' ? await listRevokedAuthorities(tx, row) : await listRevoked(tx, row),
    })
    await tx
      .updateTable('certificate_authorities')
      .set({ crl, crl_number: number, crl_made_at: madeAt, crl_next_update: nextUpdate, crl_outdated: false })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .execute()
    return { authorityId: id, number, crl, madeAt, nextUpdate }
  })

/** An expired certificate stays for the time of one list. [RFC 5280, 3.3] */
async function listRevoked(
  tx: Kysely<Tables>,
  { id, tenant_id }: AuthorityRow,
): Promise<RevokedCertificate[]> {
  const rows = await tx
    .selectFrom('device_certificates')
    .select(['serial_number', 'revoked_at', 'revocation_reason'])
    .where('tenant_id', '=', tenant_id)
    .where('authority_id', '=', id)
    .where('revoked_at', 'is not', null)
    .where('not_after', '>', new Date(Date.now() - VALID_MS))
    .orderBy('revoked_at')
    .execute()
  return rows.map((row) => ({
    serialNumber: row.serial_number,
    revokedAt: row.revoked_at!,
    reason: row.revocation_reason ?? 'unspecified',
  }))
}

/** Issuing authorities that the root signed. */
async function listRevokedAuthorities(
  tx: Kysely<Tables>,
  { tenant_id, certificate }: AuthorityRow,
): Promise<RevokedCertificate[]> {
  const rows = await tx
    .selectFrom('certificate_authorities')
    .select(['certificate', 'revoked_at', 'revocation_reason'])
    .where('tenant_id', '=', tenant_id)
    .where('status', '=', 'revoked')
    .where('kind', '=', 'issuing')
    .where(sql<boolean>`chain[1] = ${certificate}`)
    .where('not_after', '>', new Date(Date.now() - VALID_MS))
    .execute()
  return rows.map((row) => ({
    serialNumber: new X509Certificate(row.certificate).serialNumber,
    revokedAt: row.revoked_at!,
    reason: row.revocation_reason ?? 'unspecified',
  }))
}
