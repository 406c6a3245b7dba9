import { isDeepStrictEqual } from 'node:util'
import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { deleteGeneratedDescriptions } from '../bindings/descriptions/store.ts'
import { refuse } from './dtdl/document.ts'
import { readInterface, readStoredInterface } from './dtdl/interface.ts'
import { findUsedInterfaces, requireReferences, listUsedIds } from './references.ts'
import { resolveModel } from './resolve.ts'
import { modelShape, type PutModel } from './schema.ts'
import { getModel, lockModels, updateModel } from './store.ts'
import { requireUnused } from './uses.ts'

const ADVICE = 'Create a new version under another DTMI.'

/**
 * Names can always change; the definition only while nothing uses the model. [docs/models#changing-a-model]
 * @throws validation_error, not_found, forbidden; conflict for a change of a definition that is in use
 */
export async function putModel(ctx: Context, caller: Caller, id: string, body: PutModel) {
  const { tenantId } = caller
  const read = body.definition && readInterface(body.definition)
  if (read && read.id !== id)
    refuse('definition.@id', `must be ${id}: a definition under another DTMI is another model`)
  if (read) await requireReferences(ctx, caller, read)
  return audited(ctx.db, { actor: caller, action: 'update', resourceType: 'model' }, async (tx) => {
    await lockModels(tx, tenantId)
    const before = modelShape(await getModel(tx, tenantId, id))
    const model = { ...before, ...body }
    const next = read ?? readStoredInterface(before.definition)
    resolveModel(next, await findUsedInterfaces(tx, tenantId, next))
    if (!isDeepStrictEqual(before.definition, model.definition)) {
      await deleteGeneratedDescriptions(tx, tenantId, id)
      await requireUnused(tx, caller, id, ADVICE)
    }
    const after = modelShape(await updateModel(tx, tenantId, model, listUsedIds(next)))
    return { resourceId: id, before, after }
  })
}
