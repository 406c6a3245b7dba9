import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { readStoredInterface } from './dtdl/interface.ts'
import { findUsedInterfaces } from './references.ts'
import { type ModelContent, resolveModel } from './resolve.ts'
import type { ModelRow } from '../../database/tables/assets.ts'

/**
 * Lists all contents of an asset of the model: own and inherited ones, then those of each component, by `componentId`.
 * It reads every referenced model, so callers cache the result; a model in use does not change.
 */
export async function listModelContents(
  db: Kysely<Tables>,
  model: Pick<ModelRow, 'tenant_id' | 'definition'>,
): Promise<ModelContent[]> {
  const read = readStoredInterface(model.definition)
  return resolveModel(read, await findUsedInterfaces(db, model.tenant_id, read))
}
