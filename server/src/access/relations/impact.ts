/** Finds what users would lose if a relation were deleted. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { PageRequest } from '../../http/page.ts'
import { listOutside } from '../decisions/list-resources.ts'
import { listMembers } from '../decisions/list-subjects.ts'
import type { Subject } from '../decisions/access-sql.ts'
import { type Privilege, privileges } from '../privileges.ts'
import { queriesIn } from '../decisions/queries.ts'
import { findReaches, listOrganizationsOfPrivileges } from '../decisions/reach.ts'
import { deleteRelation, type RelationTuple } from './store.ts'
import {
  isMembership,
  objectTypes,
  type Permission,
  permissions,
  relationsHolding,
  type ResourceType,
  permissionRule,
} from '../schema.ts'

export interface Impact {
  permissions: {
    userId: string
    permission: Permission
    resourceType: ResourceType
    /** The number of lost objects of the type. */
    total: number
    /** The first lost objects. */
    resourceIds: string[]
  }[]
  privileges: { userId: string; privilege: Privilege; organizationIds: string[] }[]
  /** Notifications that would reach the user in fewer cases, or never. */
  notifications: { userId: string; notificationIds: string[] }[]
}

/** The number of cases in which a notification reaches a user. Users whom it never reaches are left out. */
export interface Notified {
  userId: string
  notificationId: string
  cases: number
}
/** Passed in by the caller, since notifications are in a room above this one. */
export type CountNotified = (tx: Kysely<Tables>, tenantId: string, userIds: string[]) => Promise<Notified[]>

const SHOWN_OBJECTS = 100

/**
 * Lists the users that the relation affects, directly or through groups and organizations, in the order of ids.
 * @returns one id more than the page's limit if more follow
 */
export const listReachedUsers = (
  db: Kysely<Tables>,
  tenantId: string,
  tuple: RelationTuple,
  page: PageRequest,
) =>
  listMembers(queriesIn(db), {
    tenantId,
    subject: { type: tuple.subjectType, id: tuple.subjectId },
    subjectType: 'user',
    page,
  })

/**
 * Finds what these users would lose. The relation is deleted in a transaction that is rolled back, so that the result is
 * exact.
 */
export async function findImpact(
  db: Kysely<Tables>,
  {
    tenantId,
    tuple,
    userIds,
    countNotified,
  }: { tenantId: string; tuple: RelationTuple; userIds: string[]; countNotified: CountNotified },
): Promise<Impact> {
  const tx = await db.startTransaction().setIsolationLevel('repeatable read').execute()
  try {
    const before = await findHoldings(tx, tenantId, tuple, userIds)
    const notifiedBefore = await countNotified(tx, tenantId, userIds)
    await deleteRelation(tx, tenantId, tuple)
    const after = await findHoldings(tx, tenantId, tuple, userIds)
    const notifiedAfter = await countNotified(tx, tenantId, userIds)
    return {
      permissions: await listLostPermissions(tx, before, after),
      privileges: listLostPrivileges(before, after),
      notifications: listLostNotifications(notifiedBefore, notifiedAfter, userIds),
    }
  } finally {
    await tx.rollback().execute()
  }
}

type Holdings = Awaited<ReturnType<typeof findHoldings>>

/** Finds everything that the users have and the relation can affect. */
async function findHoldings(tx: Kysely<Tables>, tenantId: string, tuple: RelationTuple, userIds: string[]) {
  const queries = queriesIn(tx)
  const subjects = userIds.map((id): Subject => ({ type: 'user', id }))
  const requests = subjects.flatMap((subject) =>
    objectTypes.flatMap((type) =>
      permissions
        .filter((permission) => canGive(tuple, type, permission))
        .map((permission) => ({ tenantId, subject, type, permission })),
    ),
  )
  const reaches = await findReaches(queries, requests)
  const held = subjects.flatMap((subject) =>
    privileges
      .filter((privilege) => isMembership(tuple) || relationsHolding(privilege).includes(tuple.relation))
      .map((privilege) => ({ tenantId, subject, privilege })),
  )
  const organizationIds = await listOrganizationsOfPrivileges(queries, held)
  return {
    permissions: requests.map((request, index) => ({ ...request, reach: reaches[index]! })),
    privileges: held.map((request, index) => ({ ...request, organizationIds: organizationIds[index]! })),
  }
}

/** Whether the relation can give the permission on objects of the type. */
function canGive(tuple: RelationTuple, type: ResourceType, permission: Permission): boolean {
  const { onObject, onNodeAbove, onOrganizationAbove, byPrivilege } = permissionRule(type, permission)
  if (isMembership(tuple)) return true
  if (tuple.resourceType === type && onObject.includes(tuple.relation)) return true
  if (tuple.resourceType === 'node') return onNodeAbove.includes(tuple.relation)
  return [...onOrganizationAbove, ...byPrivilege.map(({ relation }) => relation)].includes(tuple.relation)
}

async function listLostPermissions(tx: Kysely<Tables>, before: Holdings, after: Holdings) {
  const lost: Impact['permissions'] = []
  for (const [index, { subject, permission, type, reach }] of before.permissions.entries()) {
    const left = after.permissions[index]!.reach
    if (JSON.stringify(left) === JSON.stringify(reach)) continue
    const { ids, total } = await listOutside(tx, reach, left, SHOWN_OBJECTS)
    if (total > 0) lost.push({ userId: subject.id, permission, resourceType: type, total, resourceIds: ids })
  }
  return lost
}

const listLostPrivileges = (before: Holdings, after: Holdings): Impact['privileges'] =>
  before.privileges
    .map(({ subject, privilege, organizationIds }, index) => {
      const left = new Set(after.privileges[index]!.organizationIds)
      return { userId: subject.id, privilege, organizationIds: organizationIds.filter((id) => !left.has(id)) }
    })
    .filter((lost) => lost.organizationIds.length > 0)

function listLostNotifications(
  before: Notified[],
  after: Notified[],
  userIds: string[],
): Impact['notifications'] {
  const notifiedKey = ({ userId, notificationId }: Notified) => `${userId} ${notificationId}`
  const left = new Map(after.map((entry) => [notifiedKey(entry), entry.cases]))
  const lost = before.filter((entry) => (left.get(notifiedKey(entry)) ?? 0) < entry.cases)
  return userIds
    .map((userId) => {
      const ofUser = lost.filter((entry) => entry.userId === userId)
      return { userId, notificationIds: ofUser.map(({ notificationId }) => notificationId) }
    })
    .filter(({ notificationIds }) => notificationIds.length > 0)
}
