import type { Kysely } from 'kysely'
import { audited } from '../../audit/audited.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import { putInto, requireMayContain } from '../edges/create-edge.ts'
import { countEdgesFrom, deleteEdgesTo, lockTree, type Place } from '../edges/store.ts'
import { type ChangeNode, type CreateNode, nodeShape } from './schema.ts'
import { deleteNode, getNode, insertNode, updateNode } from './store.ts'

const resourceType = 'node'
const nodePlace = (id: string): Place => ({ type: 'node', id })

/** @throws forbidden, not_found for the parent node */
export const createNode = (db: Kysely<Tables>, caller: Caller, body: CreateNode) =>
  audited(db, { actor: caller, action: 'create', resourceType }, async (tx) => {
    const { tenantId } = caller
    const id = await insertNode(tx, tenantId, body)
    if (body.parentNodeId) {
      const parent = nodePlace(body.parentNodeId)
      await requireMayContain(tx, caller, parent, nodePlace(id))
      await putInto(tx, caller, parent, nodePlace(id))
    }
    const after = nodeShape(await getNode(tx, tenantId, id))
    return { resourceId: id, after }
  })

/** Another `parentNodeId` moves the node with its contents. @throws forbidden, not_found, conflict for a cycle */
export const changeNode = (db: Kysely<Tables>, caller: Caller, nodeId: string, body: ChangeNode) =>
  audited(db, { actor: caller, action: 'update', resourceType }, async (tx) => {
    const { tenantId } = caller
    await lockTree(tx, tenantId)
    const before = nodeShape(await getNode(tx, tenantId, nodeId))
    const { parentNodeId, ...fields } = { ...before, ...body }
    await updateNode(tx, tenantId, fields)
    if (parentNodeId !== before.parentNodeId) {
      const parent = parentNodeId && nodePlace(parentNodeId)
      // Checked first, since the right to move the node may come from its current place.
      if (parent) await requireMayContain(tx, caller, parent, nodePlace(nodeId))
      await deleteEdgesTo(tx, tenantId, nodePlace(nodeId))
      if (parent) await putInto(tx, caller, parent, nodePlace(nodeId))
    }
    const after = nodeShape(await getNode(tx, tenantId, nodeId))
    return { resourceId: nodeId, before, after }
  })

/** @throws not_found; conflict while it contains anything */
export const removeNode = (db: Kysely<Tables>, caller: Caller, nodeId: string): Promise<void> =>
  audited(db, { actor: caller, action: 'delete', resourceType }, async (tx) => {
    const { tenantId } = caller
    await lockTree(tx, tenantId)
    const before = nodeShape(await getNode(tx, tenantId, nodeId))
    const count = await countEdgesFrom(tx, tenantId, nodePlace(nodeId))
    if (count > 0)
      throw new ApiError(
        'conflict',
        `The node still contains ${count} of nodes, assets and dashboards. Delete its edges first.`,
        { contains: count },
      )
    await deleteEdgesTo(tx, tenantId, nodePlace(nodeId))
    await deleteNode(tx, tenantId, nodeId)
    return { resourceId: nodeId, before }
  })
