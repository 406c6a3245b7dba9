import { type Insertable, type Kysely, sql } from 'kysely'
import { pageAfter } from '../../../database/page.ts'
import { executePrepared, hidden } from '../../../database/execute-prepared.ts'
import type { Tables } from '../../../database/tables.ts'
import type { AuthorityRow, CertificateTables } from '../../../database/tables/certificates.ts'
import { orNotFound } from '../../../http/errors.ts'
import type { PageRequest } from '../../../http/page.ts'

/** Changes of a tenant's authorities run one after the other, also on several nodes. @param tx a transaction */
export const lockAuthorities = (tx: Kysely<Tables>, tenantId: string) =>
  sql`select pg_advisory_xact_lock(hashtext('gangway authorities'), hashtext(${tenantId}))`.execute(tx)

export const findActiveAuthority = (
  db: Kysely<Tables>,
  tenantId: string,
  kind: AuthorityRow['kind'],
): Promise<AuthorityRow | undefined> =>
  db
    .selectFrom('certificate_authorities')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', kind)
    .where('status', '=', 'active')
    .executeTakeFirst()

/** Locks the active issuing authorities of tenants against a rotation and a revocation. @param tx a transaction */
export async function lockActiveIssuing(
  tx: Kysely<Tables>,
  tenantIds: string[],
): Promise<Pick<AuthorityRow, 'id' | 'tenant_id'>[]> {
  const statement = tx
    .selectFrom('certificate_authorities')
    .select(['id', 'tenant_id'])
    .where('tenant_id', '=', sql<string>`any(${hidden(tenantIds, 'text')})`)
    .where('kind', '=', 'issuing')
    .where('status', '=', 'active')
    .orderBy('id')
    .forShare()
  return (await executePrepared(tx, 'lock-issuing-authorities', statement)).rows
}

/** All authorities of the tenant, the newest first. */
export const listAuthorities = (db: Kysely<Tables>, tenantId: string): Promise<AuthorityRow[]> =>
  db
    .selectFrom('certificate_authorities')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('id', 'desc')
    .execute()

export const listAuthorityPage = (
  db: Kysely<Tables>,
  tenantId: string,
  page: PageRequest,
): Promise<AuthorityRow[]> =>
  pageAfter(
    db.selectFrom('certificate_authorities').selectAll().where('tenant_id', '=', tenantId),
    'id',
    page,
    'desc',
  )

/** @throws not_found */
export const getAuthority = async (db: Kysely<Tables>, tenantId: string, id: string): Promise<AuthorityRow> =>
  orNotFound(
    await db
      .selectFrom('certificate_authorities')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .executeTakeFirst(),
    'certificate authority',
    id,
  )

export const insertAuthority = (
  tx: Kysely<Tables>,
  values: Insertable<CertificateTables['certificate_authorities']>,
): Promise<AuthorityRow> =>
  tx.insertInto('certificate_authorities').values(values).returningAll().executeTakeFirstOrThrow()
