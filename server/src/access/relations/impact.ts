/** Who would lose what if a relation went, before it goes. */
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
    /** How many objects of the type. */
    total: number
    /** The first of them. */
    resourceIds: string[]
  }[]
  privileges: { userId: string; privilege: Privilege; organizationIds: string[] }[]
  /** Those that would tell the user of less than now, or of nothing. */
  notifications: { userId: string; notificationIds: string[] }[]
}

/** In how many cases a notification reaches a user; whom none reaches is left out. */
export interface Notified {
  userId: string
  notificationId: string
  cases: number
}
/** Given by who knows of notifications: they lie beyond this room. */
export type CountNotified = (tx: Kysely<Tables>, tenantId: string, userIds: string[]) => Promise<Notified[]>

const SHOWN_OBJECTS = 100

/**
 * The users that the relation reaches, directly or through groups and organizations, in the order of ids.
 * @returns one id more than the page's limit where more follow
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
 * What these users lose: all that they have now and would not have without the relation. It is really deleted, in a
 * transaction that is taken back, so that the answer is what would happen and nothing but.
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

/** All that the relation can have to do with. */
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
