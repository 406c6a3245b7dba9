import type { Expression, Kysely, SqlBool } from 'kysely'
import { deleteObjectRelations, insertParent } from '../../../access/relations/store.ts'
import { pageAfter } from '../../../database/page.ts'
import type { Tables } from '../../../database/tables.ts'
import { orNotFound } from '../../../http/errors.ts'
import type { BindingDescriptionRow } from '../../../database/tables/assets.ts'
import type { PageRequest } from '../../../http/page.ts'
import type { DescribedBinding } from './schema.ts'

const selectDescription = (db: Kysely<Tables>, tenantId: string, id: string) =>
  db.selectFrom('binding_descriptions').selectAll().where('tenant_id', '=', tenantId).where('id', '=', id)

export const findDescription = (db: Kysely<Tables>, tenantId: string, id: string) =>
  selectDescription(db, tenantId, id).executeTakeFirst()

export const getDescription = async (db: Kysely<Tables>, tenantId: string, id: string) =>
  orNotFound(await findDescription(db, tenantId, id), 'binding description', id)

/** Also locks the description until the transaction ends. */
export const getDescriptionForUpdate = async (tx: Kysely<Tables>, tenantId: string, id: string) =>
  orNotFound(
    await selectDescription(tx, tenantId, id).forUpdate().executeTakeFirst(),
    'binding description',
    id,
  )

/** Returns one row more than the page's limit if more follow. */
export const listDescriptions = (
  db: Kysely<Tables>,
  tenantId: string,
  visible: Expression<SqlBool>,
  page: PageRequest,
): Promise<BindingDescriptionRow[]> =>
  pageAfter(
    db.selectFrom('binding_descriptions').selectAll().where('tenant_id', '=', tenantId).where(visible),
    'id',
    page,
  )

interface NewDescription {
  id: string
  displayName: string
  description: string | null
  organizationId: string
  modelId: string
  bindings: DescribedBinding[]
  isGenerated: boolean
}

/** @returns undefined if the id is taken */
export async function insertDescription(
  tx: Kysely<Tables>,
  tenantId: string,
  description: NewDescription,
): Promise<BindingDescriptionRow | undefined> {
  const row = await tx
    .insertInto('binding_descriptions')
    .values({
      tenant_id: tenantId,
      id: description.id,
      organization_id: description.organizationId,
      display_name: description.displayName,
      description: description.description,
      model_id: description.modelId,
      bindings: JSON.stringify(description.bindings),
      is_generated: description.isGenerated,
    })
    .onConflict((oc) => oc.doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row) await insertParent(tx, 'binding_description', row)
  return row
}

export const updateDescription = (
  tx: Kysely<Tables>,
  tenantId: string,
  {
    id,
    displayName,
    description,
    bindings,
  }: Omit<NewDescription, 'organizationId' | 'modelId' | 'isGenerated'>,
): Promise<BindingDescriptionRow> =>
  tx
    .updateTable('binding_descriptions')
    .set({ display_name: displayName, description, bindings: JSON.stringify(bindings) })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/** Bindings made from the description keep their copy of it. */
export async function deleteDescription(tx: Kysely<Tables>, tenantId: string, id: string): Promise<void> {
  await tx.deleteFrom('binding_descriptions').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
  await deleteObjectRelations(tx, tenantId, 'binding_description', id)
}

/** Deletes the default descriptions of a model; the next bind that needs one creates it again. */
export async function deleteGeneratedDescriptions(
  tx: Kysely<Tables>,
  tenantId: string,
  modelId: string,
): Promise<void> {
  const generated = await tx
    .selectFrom('binding_descriptions')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('model_id', '=', modelId)
    .where('is_generated', '=', true)
    .execute()
  for (const { id } of generated) await deleteDescription(tx, tenantId, id)
}
