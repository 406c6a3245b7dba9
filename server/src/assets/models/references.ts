/** The models that a definition names: its bases and the models of its components. */
import type { Kysely } from 'kysely'
import { type Access, requirePermission } from '../../access/require.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError, validationError } from '../../http/errors.ts'
import { takeTurns } from '../../lib/take-turns.ts'
import { MAX_ISSUES, refuse } from './dtdl/document.ts'
import type { Interface } from './dtdl/model.ts'
import { readStoredInterface } from './dtdl/interface.ts'
import { listModelsByIds, listUsedModels } from './store.ts'

/** Maps the id of each referenced model to the path that names it first. The model itself is left out. */
function findReferences(model: Interface): Map<string, string> {
  const references = new Map<string, string>()
  const add = (id: string, path: string) => {
    if (id !== model.id && !references.has(id)) references.set(id, path)
  }
  for (const base of model.extends) add(base, 'definition.extends')
  for (const [index, content] of model.contents.entries()) {
    if (content.kind !== 'component') continue
    const path = `definition.contents.${index}.schema`
    if (!content.inline) add(content.modelId, path)
    for (const base of content.inline?.extends ?? []) add(base, `${path}.extends`)
  }
  return references
}

export const listUsedIds = (model: Interface): string[] => [...findReferences(model).keys()]

/**
 * A viewer of a model also sees the contents of its base models and component models. Its author therefore needs the
 * permission to view these models.
 * @throws validation_error for missing models; forbidden for a model that the caller may not view
 */
export async function requireReferences(access: Access, caller: Caller, model: Interface): Promise<void> {
  const missing = await Promise.all(
    [...findReferences(model)].map(async ([id, path]) => {
      try {
        await requirePermission(access, caller, 'view', { type: 'model', id })
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'not_found') throw error
        return [{ path, message: `there is no model ${id}; create it first` }]
      }
      return []
    }),
  )
  const issues = missing.flat()
  if (issues.length > 0) throw validationError(...issues.slice(0, MAX_ISSUES))
}

/** Limits the total size of the definitions that one model references, as text and as parsed. */
const MAX_USED_SIZE = 8 * 1024 * 1024

/**
 * Finds all models that the model references, directly or indirectly, for `resolveModel`.
 * @throws validation_error if they are too large
 */
export async function findUsedInterfaces(
  db: Kysely<Tables>,
  tenantId: string,
  model: Interface,
): Promise<Map<string, Interface>> {
  const used = await listUsedModels(db, tenantId, listUsedIds(model))
  refuseTooLarge(used.reduce((sum, row) => sum + row.definition_bytes, 0))
  const ids = used.map(({ id }) => id)
  const interfaces = new Map<string, Interface>()
  const turn = takeTurns()
  let size = 0
  for (const row of await listModelsByIds(db, tenantId, ids)) {
    await turn()
    const read = readStoredInterface(row.definition)
    size += read.size
    refuseTooLarge(size)
    interfaces.set(row.id, read)
  }
  return interfaces
}

function refuseTooLarge(size: number) {
  if (size > MAX_USED_SIZE)
    refuse('definition', `names models that together are larger than ${MAX_USED_SIZE} characters`)
}
