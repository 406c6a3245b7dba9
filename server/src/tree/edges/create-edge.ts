import type { Kysely } from 'kysely'
import { accessIn } from '../../access/decisions/decisions.ts'
import { mayGrant } from '../../access/relations/may-grant.ts'
import { requireAndLockAsset } from '../../assets/records/store.ts'
import type { RelationTuple } from '../../access/relations/store.ts'
import { requireExists, requirePermission, callerSubject } from '../../access/require.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import { type CreateEdge, edgeShape } from './schema.ts'
import { findPathDown, insertEdge, lockTree, type Place } from './store.ts'

/**
 * @throws forbidden, not_found; conflict for a circle, an edge that is there, and a node that stands in something already
 */
export const createEdge = (db: Kysely<Tables>, caller: Caller, body: CreateEdge) =>
  db.transaction().execute(async (tx) => {
    const from: Place = { type: body.fromType, id: body.fromId }
    const to: Place = { type: body.toType, id: body.toId }
    await requireMayContain(tx, caller, from, to)
    return putInto(tx, caller, from, to)
  })

/**
 * A node hands its owners down to what it contains, and nobody grants more than they hold [docs/access#granting]: it takes what
 * making somebody an owner takes, also where an asset contains it and may stand in a node itself. A dashboard is only
 * shown.
 * @throws forbidden, not_found
 */
export async function requireMayContain(tx: Kysely<Tables>, caller: Caller, from: Place, to: Place) {
  const access = accessIn(tx)
  await requirePermission(access, caller, 'manage', from)
  await requirePermission(access, caller, to.type === 'dashboard' ? 'view' : 'delete', to)
  if (to.type === 'dashboard') return
  const ownership: RelationTuple = {
    subjectType: 'node',
    subjectId: from.id,
    resourceType: to.type,
    resourceId: to.id,
    relation: 'owner',
  }
  if (await mayGrant(tx, caller.tenantId, callerSubject(caller), ownership)) return
  await requireExists(access, caller.tenantId, to)
  const message = `The ${to.type} ${to.id} contains what is not yours to hand on.`
  throw new ApiError('forbidden', message, {
    required: { permission: 'share', resourceType: to.type, resourceId: to.id },
  })
}

/**
 * Contains `to` in `from`.
 * @throws conflict; not_found for an asset that was deleted just now
 */
export async function putInto(tx: Kysely<Tables>, caller: Caller, from: Place, to: Place) {
  const { tenantId } = caller
  await lockTree(tx, tenantId)
  for (const { type, id } of [from, to]) if (type === 'asset') await requireAndLockAsset(tx, tenantId, id)
  const way = await findPathDown(tx, tenantId, to, from)
  if (way)
    throw new ApiError('conflict', `The ${to.type} ${to.id} would contain itself.`, { path: [...way, to] })
  const row = await insertEdge(tx, tenantId, from, to)
  if (!row)
    throw new ApiError(
      'conflict',
      `The ${to.type} ${to.id} stands in ${to.type === 'node' ? 'a node or asset' : `the ${from.type}`} already.`,
    )
  const after = edgeShape(row)
  await recordAudit(tx, caller, { action: 'create', resourceType: 'tree_edge', resourceId: row.id, after })
  return after
}
