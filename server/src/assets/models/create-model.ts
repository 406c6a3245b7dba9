import { requirePrivilegeIn } from '../../access/require.ts'
import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { refuse } from './dtdl/document.ts'
import { readInterface } from './dtdl/interface.ts'
import { plainText } from './dtdl/names.ts'
import { findUsedInterfaces, requireReferences, listUsedIds } from './references.ts'
import { resolveModel } from './resolve.ts'
import { type CreateModel, modelShape } from './schema.ts'
import { insertModel, lockModels } from './store.ts'

/** @throws validation_error, forbidden, not_found for the organization, conflict if the id is taken */
export async function createModel(ctx: Context, caller: Caller, body: CreateModel) {
  await requirePrivilegeIn(ctx, caller, 'model_management', body.organizationId)
  const { tenantId } = caller
  const { definition, organizationId } = body
  const read = readInterface(definition)
  if (body.id !== undefined && body.id !== read.id) refuse('id', `must be the definition's @id, ${read.id}`)
  await requireReferences(ctx, caller, read)
  return audited(ctx.db, { actor: caller, action: 'create', resourceType: 'model' }, async (tx) => {
    await lockModels(tx, tenantId)
    resolveModel(read, await findUsedInterfaces(tx, tenantId, read))
    const model = {
      id: read.id,
      displayName: body.displayName ?? (plainText(read.displayName) || read.id),
      description: body.description === undefined ? (plainText(read.description) ?? null) : body.description,
      organizationId,
      definition,
    }
    return { after: modelShape(await insertModel(tx, tenantId, model, listUsedIds(read))) }
  })
}
