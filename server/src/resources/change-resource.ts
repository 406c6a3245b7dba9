/** Changes resources: checks, record and audit entry are in one transaction. */
import type { Kysely } from 'kysely'
import type { AuthorizationContext } from '../access/relations/authorization-context.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { ApiError } from '../http/errors.ts'
import { type Content, readContent } from './content.ts'
import { auditShape, type ResourceRow } from './schema.ts'
import {
  deleteResource,
  type Description,
  getResource,
  getResourceForUpdate,
  insertResource,
  updateResource,
} from './store.ts'
import { requireTheme } from './themes/require-theme.ts'
import { listUses } from './uses.ts'

const resourceType = 'resource_item'

/** The caller must have checked the privilege in that organization. */
export const createResource = (
  ctx: Context,
  caller: Caller,
  resource: Description & Content & { organizationId: string; authorizationContext?: AuthorizationContext },
): Promise<ResourceRow> =>
  ctx.db.transaction().execute(async (tx) => {
    await requireTheme(ctx, tx, { caller, resource })
    const id = await insertResource(tx, caller, resource)
    return recordChange(tx, caller, {
      action: 'create',
      after: await getResource(tx, caller.tenantId, id),
      before: null,
    })
  })

/** @param change returns the changed fields, and may throw to refuse */
export const changeResource = (
  ctx: Context,
  caller: Caller,
  id: string,
  change: (before: ResourceRow) => Partial<Description & Content>,
): Promise<{ before: ResourceRow; after: ResourceRow }> =>
  ctx.db.transaction().execute(async (tx) => {
    const before = await getResourceForUpdate(tx, caller.tenantId, id)
    const resource = { ...readDescription(before), ...readContent(before), ...change(before) }
    await requireTheme(ctx, tx, { caller, resource, before })
    await updateResource(tx, caller, id, resource)
    const changed = await getResource(tx, caller.tenantId, id)
    return { before, after: await recordChange(tx, caller, { action: 'update', after: changed, before }) }
  })

/**
 * Objects that use the resource may break; releases and themes show that it is missing.
 * @throws with `ifUnused`, conflict that names what uses it
 */
export async function removeResource(
  ctx: Context,
  caller: Caller,
  id: string,
  ifUnused: boolean,
): Promise<void> {
  const { tenantId } = caller
  const before = await ctx.db.transaction().execute(async (tx) => {
    const row = await getResourceForUpdate(tx, tenantId, id)
    if (ifUnused) await requireUnused(tx, caller, id)
    await deleteResource(tx, tenantId, id)
    const entry = { action: 'delete', resourceType, resourceId: id, before: auditShape(row) }
    await recordAudit(tx, caller, entry)
    return row
  })
  if (before.file_key !== null) await deleteUnusedFile(ctx, before.file_key)
}

/** Runs after the transaction. If it fails, the sweep deletes the file later. */
export async function deleteUnusedFile(
  { files, log }: Pick<Context, 'files' | 'log'>,
  key: string,
): Promise<void> {
  try {
    await files.delete(key)
  } catch (error) {
    log.warn({ err: error, key }, 'an unused file could not be deleted')
  }
}

/** @returns the row with this change in its history */
async function recordChange(
  tx: Kysely<Tables>,
  caller: Caller,
  { action, after, before }: { action: 'create' | 'update'; after: ResourceRow; before: ResourceRow | null },
): Promise<ResourceRow> {
  const shapes = { before: before && auditShape(before), after: auditShape(after) }
  await recordAudit(tx, caller, { action, resourceType, resourceId: after.id, ...shapes })
  return getResource(tx, caller.tenantId, after.id)
}

const readDescription = (row: ResourceRow): Description => ({
  displayName: row.display_name,
  description: row.description,
  tags: row.tags,
})

async function requireUnused(tx: Kysely<Tables>, caller: Caller, id: string) {
  const usedBy = await listUses(tx, caller, id)
  const first = usedBy.find((use) => use.id !== null) ?? usedBy[0]
  if (!first) return
  const user = first.id === null ? `A ${first.type} that you may not view` : `The ${first.type} ${first.id}`
  const message = `${user} uses this resource. Change what uses it first, or delete without ?ifUnused=true.`
  throw new ApiError('conflict', message, { usedBy })
}
