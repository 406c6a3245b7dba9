/**
 * While something uses a model, its definition cannot change and it cannot be deleted. [docs/models#changing-a-model]
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'

interface ModelUse {
  type: 'model' | 'asset' | 'binding_description' | 'alarm'
  id: string
}

/** The number of uses that a refusal names. */
const NAMED = 10

/** Lists some of the objects that use the model. */
async function listModelUses(db: Kysely<Tables>, tenantId: string, modelId: string): Promise<ModelUse[]> {
  const uses = (type: ModelUse['type'], table: keyof Tables, column: string, id = 'id') =>
    sql`(select ${type}::text as type, ${sql.ref(id)}::text as id from ${sql.table(table)}
      where tenant_id = ${tenantId} and ${sql.ref(column)} = ${modelId} order by 2 limit ${NAMED})`
  const { rows } = await sql<ModelUse>`
    select type, id from (
      ${uses('model', 'model_references', 'used_model_id', 'model_id')} union all
      ${uses('asset', 'assets', 'model_id')} union all
      ${uses('binding_description', 'binding_descriptions', 'model_id')} union all
      ${uses('alarm', 'alarms', 'entity_type_id')}
    ) used limit ${NAMED}`.execute(db)
  return rows
}

/** @throws conflict that names objects which use the model */
export async function requireUnused(
  tx: Kysely<Tables>,
  tenantId: string,
  modelId: string,
  advice: string,
): Promise<void> {
  const usedBy = await listModelUses(tx, tenantId, modelId)
  if (usedBy.length === 0) return
  const [{ type, id }] = usedBy as [ModelUse]
  throw new ApiError('conflict', `The ${type.replace('_', ' ')} ${id} uses the model ${modelId}. ${advice}`, {
    usedBy,
  })
}
