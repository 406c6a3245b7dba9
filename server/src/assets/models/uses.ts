/** What uses a model: as long as something does, its definition stays and it cannot be deleted. [contract §5] */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { ApiError } from '../../http/errors.ts'

interface ModelUse {
  type: 'model' | 'binding description'
  id: string
}

/** How many uses a refusal names. */
const NAMED = 10

/** @returns some of what uses the model; nothing where nothing does */
const listModelUses = async (db: Kysely<Tables>, tenantId: string, modelId: string): Promise<ModelUse[]> => {
  const users = await db
    .selectFrom('model_references')
    .select('model_id')
    .where('tenant_id', '=', tenantId)
    .where('used_model_id', '=', modelId)
    .orderBy('model_id')
    .limit(NAMED)
    .execute()
  const descriptions = await db
    .selectFrom('binding_descriptions')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('model_id', '=', modelId)
    .where('is_generated', '=', false)
    .orderBy('id')
    .limit(NAMED)
    .execute()
  return [
    ...users.map(({ model_id }): ModelUse => ({ type: 'model', id: model_id })),
    ...descriptions.map(({ id }): ModelUse => ({ type: 'binding description', id })),
  ]
}

/** @throws conflict that names what uses the model */
export async function requireUnused(
  tx: Kysely<Tables>,
  tenantId: string,
  modelId: string,
  advice: string,
): Promise<void> {
  const usedBy = await listModelUses(tx, tenantId, modelId)
  if (usedBy.length === 0) return
  const [{ type, id }] = usedBy as [ModelUse]
  throw new ApiError('conflict', `The ${type} ${id} uses the model ${modelId}. ${advice}`, { usedBy })
}
