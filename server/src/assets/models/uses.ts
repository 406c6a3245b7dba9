/**
 * While something uses a model, its definition cannot change and it cannot be deleted. [docs/models#changing-a-model]
 */
import { type Kysely, sql } from 'kysely'
import { pickVisible } from '../../access/pick-visible.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'

interface StoredUse {
  type: 'model' | 'asset' | 'binding_description' | 'alarm'
  id: string
}

/** The id is null where the caller may not view the object. */
interface ModelUse {
  type: StoredUse['type']
  id: string | null
}

/** The number of uses that a refusal names. */
const NAMED = 10

/** Lists some of the objects that use the model. */
async function listModelUses(db: Kysely<Tables>, tenantId: string, modelId: string): Promise<StoredUse[]> {
  const uses = (type: StoredUse['type'], table: keyof Tables, column: string, id = 'id') =>
    sql`(select ${type}::text as type, ${sql.ref(id)}::text as id from ${sql.table(table)}
      where tenant_id = ${tenantId} and ${sql.ref(column)} = ${modelId} order by 2 limit ${NAMED})`
  const { rows } = await sql<StoredUse>`
    select type, id from (
      ${uses('model', 'model_references', 'used_model_id', 'model_id')} union all
      ${uses('asset', 'assets', 'model_id')} union all
      ${uses('binding_description', 'binding_descriptions', 'model_id')} union all
      ${uses('alarm', 'alarms', 'entity_type_id')}
    ) used limit ${NAMED}`.execute(db)
  return rows
}

/** Hides the ids of objects that the caller may not view. */
async function hideInvisible(db: Kysely<Tables>, caller: Caller, uses: StoredUse[]): Promise<ModelUse[]> {
  const visible = new Set<string>()
  for (const type of new Set(uses.map((use) => use.type))) {
    const ids = uses.filter((use) => use.type === type).map(({ id }) => id)
    for (const id of await pickVisible(db, caller, type, ids)) visible.add(`${type} ${id}`)
  }
  return uses.map(({ type, id }) => ({ type, id: visible.has(`${type} ${id}`) ? id : null }))
}

/** @throws conflict that names objects which use the model, as far as the caller may view them */
export async function requireUnused(
  tx: Kysely<Tables>,
  caller: Caller,
  modelId: string,
  advice: string,
): Promise<void> {
  const stored = await listModelUses(tx, caller.tenantId, modelId)
  if (stored.length === 0) return
  const usedBy = await hideInvisible(tx, caller, stored)
  const { type, id } = usedBy.find((use) => use.id !== null) ?? usedBy[0]!
  const noun = type.replace('_', ' ')
  const article = /^[aeiou]/.test(noun) ? 'An' : 'A'
  const user = id === null ? `${article} ${noun} that you may not view` : `The ${noun} ${id}`
  throw new ApiError('conflict', `${user} uses the model ${modelId}. ${advice}`, { usedBy })
}
