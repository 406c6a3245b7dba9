/** Limits the number of alarms of a model, since each sample of an asset is evaluated against all of them. */
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import { ApiError } from '../http/errors.ts'

export const MAX_ALARMS_OF_MODEL = 1000

/**
 * @param tx a transaction; no other alarm of the model can be created until it ends
 * @throws conflict
 */
export async function requireRoom(
  tx: Kysely<Tables>,
  tenantId: string,
  modelId: string | null,
): Promise<void> {
  if (modelId === null) return
  await tx
    .selectFrom('models')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', modelId)
    .forNoKeyUpdate()
    .execute()
  const { count } = await tx
    .selectFrom('alarms')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('entity_type_id', '=', modelId)
    .executeTakeFirstOrThrow()
  if (Number(count) < MAX_ALARMS_OF_MODEL) return
  throw new ApiError(
    'conflict',
    `The model ${modelId} has ${count} alarms, and may have ${MAX_ALARMS_OF_MODEL}. Delete some, or join several in one condition.`,
    { limit: MAX_ALARMS_OF_MODEL },
  )
}
