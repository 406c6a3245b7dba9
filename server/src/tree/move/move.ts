import type { Kysely } from 'kysely'
import { accessIn } from '../../access/decisions/decisions.ts'
import { requirePermission } from '../../access/require.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Tables } from '../../database/tables.ts'
import type { EdgeRow } from '../../database/tables/tree.ts'
import type { Caller } from '../../http/access.ts'
import { validationError } from '../../http/errors.ts'
import { putInto, requireMayContain } from '../edges/create-edge.ts'
import { edgeShape } from '../edges/schema.ts'
import { deleteEdge, getEdgeTo, lockTree, type Place } from '../edges/store.ts'
import { type AccessChange, listAccessChanges, listHolders } from './changed-access.ts'
import type { Move } from './schema.ts'

interface Moved {
  edge: ReturnType<typeof edgeShape> | null
  accessChanges?: AccessChange[]
}

/** Rolls back the transaction of a dry run. */
class DryRun extends Error {
  readonly moved: Moved
  constructor(moved: Moved) {
    super('dry run')
    this.moved = moved
  }
}

/**
 * Moves a node or asset from one place to another in one transaction. A dry run makes the same changes and rolls them
 * back, so the reported access is exact.
 * @throws forbidden, not_found; conflict for a cycle, and if the thing is in that place already
 */
export async function moveInTree(db: Kysely<Tables>, caller: Caller, body: Move): Promise<Moved> {
  const { type, id, edgeId = null, to = null, dryRun = false } = body
  if (edgeId === null && to === null)
    throw validationError({ path: 'to', message: 'is needed, or the edge that it leaves' })
  const thing: Place = { type, id }
  try {
    return await db.transaction().execute(async (tx) => {
      await lockTree(tx, caller.tenantId)
      await requirePermission(accessIn(tx), caller, 'view', thing)
      const left = await requireMayMove(tx, caller, { thing, edgeId, to })
      const before = dryRun ? await listHolders(tx, caller.tenantId, thing) : []
      if (left) await takeOut(tx, caller, left)
      const edge = to === null ? null : await putInto(tx, caller, to, thing)
      if (!dryRun) return { edge }
      const after = await listHolders(tx, caller.tenantId, thing)
      throw new DryRun({ edge, accessChanges: await listAccessChanges(tx, caller, { before, after }) })
    })
  } catch (error) {
    if (error instanceof DryRun) return error.moved
    throw error
  }
}

/**
 * Comes before the change, since the right to move the thing may come from its current place, and before the work of a dry
 * run. @returns the edge that it leaves
 */
async function requireMayMove(
  tx: Kysely<Tables>,
  caller: Caller,
  { thing, edgeId, to }: { thing: Place; edgeId: string | null; to: Place | null },
): Promise<EdgeRow | undefined> {
  if (to !== null) await requireMayContain(tx, caller, to, thing)
  if (edgeId === null) return undefined
  const edge = await getEdgeTo(tx, caller.tenantId, { edgeId, to: thing })
  await requirePermission(accessIn(tx), caller, 'manage', { type: edge.from_type, id: edge.from_id })
  return edge
}

async function takeOut(tx: Kysely<Tables>, caller: Caller, edge: EdgeRow): Promise<void> {
  await deleteEdge(tx, caller.tenantId, edge)
  const before = edgeShape(edge)
  await recordAudit(tx, caller, { action: 'delete', resourceType: 'tree_edge', resourceId: edge.id, before })
}
