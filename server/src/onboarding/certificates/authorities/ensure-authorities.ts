/** Makes the authorities of a tenant when one is needed for the first time, exactly once. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import type { AuthorityRow } from '../../../database/tables/certificates.ts'
import type { Runtime } from '../../../runtime.ts'
import { recordAudit } from '../../../audit/record.ts'
import { openAuthority } from './authority.ts'
import { makeIssuing, makeRoot } from './make-authority.ts'
import { authorityShape } from './schema.ts'
import { findActiveAuthority, insertAuthority, lockAuthorities } from './store.ts'

type NeededParts = Pick<Runtime, 'db' | 'sealer'>

/** @returns the active issuing authority */
export async function ensureAuthorities(ctx: NeededParts, tenantId: string): Promise<AuthorityRow> {
  return (
    (await findActiveAuthority(ctx.db, tenantId, 'issuing')) ??
    (await ctx.db.transaction().execute((tx) => makeMissing({ ...ctx, db: tx }, tenantId)))
  )
}

/** @param ctx with a transaction as `db` */
async function makeMissing(ctx: NeededParts, tenantId: string): Promise<AuthorityRow> {
  const { db: tx, sealer } = ctx
  await lockAuthorities(tx, tenantId)
  const issuing = await findActiveAuthority(tx, tenantId, 'issuing')
  if (issuing) return issuing
  const root = await ensureRoot(ctx, tenantId)
  return insertAudited(tx, await makeIssuing({ tenantId, sealer }, openAuthority(root, sealer)))
}

/** @param ctx with a transaction as `db` that has locked the authorities */
export const ensureRoot = async ({ db: tx, sealer }: NeededParts, tenantId: string): Promise<AuthorityRow> =>
  (await findActiveAuthority(tx, tenantId, 'root')) ?? insertAudited(tx, await makeRoot({ tenantId, sealer }))

async function insertAudited(
  tx: Kysely<Tables>,
  values: Awaited<ReturnType<typeof makeRoot>>,
): Promise<AuthorityRow> {
  const row = await insertAuthority(tx, values)
  const actor = { tenantId: row.tenant_id, system: 'certificates' }
  await recordAudit(tx, actor, {
    action: 'create',
    resourceType: 'certificate_authority',
    resourceId: row.id,
    after: authorityShape(row),
  })
  return row
}
