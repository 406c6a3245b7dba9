import type { Kysely } from 'kysely'
import { authorizationContextOf } from '../../access/authorization-context.ts'
import type { Tables } from '../../database/tables.ts'
import { notFound } from '../../http/errors.ts'

export type AssetRow = NonNullable<Awaited<ReturnType<typeof findAsset>>>

const selectAssets = (db: Kysely<Tables>, tenantId: string) =>
  db
    .selectFrom('assets as a')
    .selectAll('a')
    .select(authorizationContextOf('asset', 'a.tenant_id', 'a.id').as('authorization_context'))
    .where('a.tenant_id', '=', tenantId)

export const findAsset = (db: Kysely<Tables>, tenantId: string, id: string) =>
  selectAssets(db, tenantId).where('a.id', '=', id).executeTakeFirst()

/** @throws not_found */
export async function getAsset(db: Kysely<Tables>, tenantId: string, id: string): Promise<AssetRow> {
  const row = await findAsset(db, tenantId, id)
  if (!row) throw notFound('asset', id)
  return row
}

/** Also locks it against other changes, until the transaction ends; what refers to it can still be written. */
export async function getAssetForUpdate(tx: Kysely<Tables>, tenantId: string, id: string): Promise<AssetRow> {
  const row = await selectAssets(tx, tenantId).where('a.id', '=', id).forNoKeyUpdate('a').executeTakeFirst()
  if (!row) throw notFound('asset', id)
  return row
}
