/** Writes relations for callers. The platform writes its own relations (`parent`) without these checks. */
import type { Kysely } from 'kysely'
import { recordAudit } from '../../audit/record.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError, notFound, validationError } from '../../http/errors.ts'
import { accessIn } from '../decisions/decisions.ts'
import { requireOwnerLeft } from './last-owner.ts'
import { mayGrant } from './may-grant.ts'
import { deleteRelation, insertRelations, type RelationTuple } from './store.ts'
import { requireExists, requirePermission, requireAndLock, callerSubject } from '../require.ts'
import { subjectTypesFor } from '../schema.ts'

/**
 * @param tx a transaction
 * @returns the number of new tuples
 * @throws validation_error for a relation that the type does not have; not_found; forbidden without `share` on the
 * object, or if a relation gives more than the caller holds
 */
export async function writeRelations(
  tx: Kysely<Tables>,
  caller: Caller,
  tuples: RelationTuple[],
): Promise<number> {
  let written = 0
  for (const tuple of tuples) {
    requireKnown(tuple)
    await requireMayWrite(tx, caller, tuple)
    for (const object of listEnds(tuple)) await requireAndLock(tx, caller.tenantId, object)
    if ((await insertRelations(tx, caller.tenantId, [tuple])) === 0) continue
    written++
    await recordAudit(tx, caller, { ...auditResource(tuple), action: 'create-relation', after: tuple })
  }
  return written
}

/**
 * @param tx a transaction
 * @throws not_found, also for a missing tuple; forbidden as in `writeRelations`; conflict for the last owner
 */
export async function removeRelation(
  tx: Kysely<Tables>,
  caller: Caller,
  tuple: RelationTuple,
): Promise<void> {
  requireKnown(tuple)
  await requireMayWrite(tx, caller, tuple)
  if (!(await deleteRelation(tx, caller.tenantId, tuple))) {
    const { subjectType, subjectId, relation, resourceType, resourceId } = tuple
    throw notFound('relation', `${subjectType} ${subjectId} ${relation} ${resourceType} ${resourceId}`)
  }
  await requireOwnerLeft(tx, caller.tenantId)
  await recordAudit(tx, caller, { ...auditResource(tuple), action: 'delete-relation', before: tuple })
}

/** @throws validation_error */
export function requireKnown({ subjectType, resourceType, relation }: RelationTuple): void {
  if (relation === 'parent')
    throw validationError({
      path: 'relation',
      message: 'is written with the object itself, or as an edge of the tree',
    })
  const subjects = subjectTypesFor(resourceType, relation)
  if (subjects.length === 0)
    throw validationError({ path: 'relation', message: `is not a relation of ${resourceType}` })
  if (!subjects.includes(subjectType))
    throw validationError({
      path: 'subjectType',
      message: `must be one of ${subjects.join(', ')} for ${relation}`,
    })
}

/** A caller may delete only relations that they could also grant. */
async function requireMayWrite(tx: Kysely<Tables>, caller: Caller, tuple: RelationTuple): Promise<void> {
  await requirePermission(accessIn(tx), caller, 'share', { type: tuple.resourceType, id: tuple.resourceId })
  // A limited token grants nothing, since its limits would have to be compared with every grant.
  if (caller.privileges === null && (await mayGrant(tx, caller.tenantId, callerSubject(caller), tuple)))
    return
  const { relation, resourceType, resourceId } = tuple
  await requireExists({ db: tx }, caller.tenantId, { type: resourceType, id: resourceId })
  throw new ApiError(
    'forbidden',
    `The relation ${relation} on ${resourceType} ${resourceId} gives more than you hold.`,
    {
      required: { relation, resourceType, resourceId },
    },
  )
}

const listEnds = (tuple: RelationTuple) => [
  { type: tuple.subjectType, id: tuple.subjectId },
  { type: tuple.resourceType, id: tuple.resourceId },
]

const auditResource = ({ resourceType, resourceId }: RelationTuple) => ({ resourceType, resourceId })
