import { type Expression, type Kysely, type Selectable, sql, type SqlBool } from 'kysely'
import { deleteObjectRelations, insertParent } from '../../access/relations/store.ts'
import { pageAfter } from '../../database/page.ts'
import type { Tables } from '../../database/tables.ts'
import type { PropertyValue, StartingModel } from '../../database/tables/firmware.ts'
import { orNotFound } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'
import { newId } from '../../lib/ids.ts'

export type ReleaseRow = Selectable<Tables['firmware_releases']> & { file_missing: boolean }

export interface Release {
  displayName: string
  description: string | null
  startingModels: StartingModel[]
  propertyValues: PropertyValue[]
  fileResourceId: string | null
  fileName: string | null
}

/** A column that says whether the release's file was deleted. */
const fileMissing = sql<boolean>`(file_resource_id is not null and not exists (
    select from resource_items i
    where i.tenant_id = firmware_releases.tenant_id and i.id = firmware_releases.file_resource_id
  ))`.as('file_missing')

const selectReleases = (db: Kysely<Tables>, tenantId: string) =>
  db.selectFrom('firmware_releases').selectAll().select(fileMissing).where('tenant_id', '=', tenantId)

/** @throws not_found */
export async function getRelease(db: Kysely<Tables>, tenantId: string, id: string): Promise<ReleaseRow> {
  return orNotFound(
    await selectReleases(db, tenantId).where('id', '=', id).executeTakeFirst(),
    'firmware release',
    id,
  )
}

/** Locks the release until the transaction ends. */
export async function getReleaseForUpdate(
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
): Promise<ReleaseRow> {
  return orNotFound(
    await selectReleases(tx, tenantId).where('id', '=', id).forUpdate().executeTakeFirst(),
    'firmware release',
    id,
  )
}

/** Returns one row more than the page's limit if there are more. */
export const listReleases = (
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  page: PageRequest,
): Promise<ReleaseRow[]> => pageAfter(selectReleases(db, tenantId).where(visible), 'id', page)

/** @returns the ids of the releases whose file is the resource */
export const listReleasesUsing = async (
  db: Kysely<Tables>,
  tenantId: string,
  resourceId: string,
): Promise<string[]> =>
  (await selectReleases(db, tenantId).where('file_resource_id', '=', resourceId).orderBy('id').execute()).map(
    ({ id }) => id,
  )

export async function insertRelease(
  tx: Kysely<Tables>,
  tenantId: string,
  organizationId: string,
  release: Release,
): Promise<ReleaseRow> {
  const row = await tx
    .insertInto('firmware_releases')
    .values({ id: newId(), tenant_id: tenantId, organization_id: organizationId, ...columns(release) })
    .returningAll()
    .returning(fileMissing)
    .executeTakeFirstOrThrow()
  await insertParent(tx, 'firmware', row)
  return row
}

export const updateRelease = (
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
  release: Release,
): Promise<ReleaseRow> =>
  tx
    .updateTable('firmware_releases')
    .set(columns(release))
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returningAll()
    .returning(fileMissing)
    .executeTakeFirstOrThrow()

export async function deleteRelease(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('firmware_releases').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteObjectRelations(tx, tenantId, 'firmware', id)
}

const columns = (release: Release) => ({
  display_name: release.displayName,
  description: release.description,
  starting_models: JSON.stringify(release.startingModels),
  property_values: JSON.stringify(release.propertyValues),
  file_resource_id: release.fileResourceId,
  file_name: release.fileName,
})
