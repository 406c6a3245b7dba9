/**
 * Requires permissions and privileges of a caller, for guards and for handlers whose object is named in the body. A
 * refusal names what is missing. Objects that do not exist or belong to another tenant are not found.
 * [docs/access#permissions]
 */
import type { Kysely } from 'kysely'
import { listShown, type Shown } from '../dashboards/shown/shown.ts'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { ApiError, notFound } from '../http/errors.ts'
import type { Runtime } from '../runtime.ts'
import { permissionQuestion, privilegeQuestion } from './decisions/check.ts'
import type { Decisions } from './decisions/decisions.ts'
import type { Resource, Subject } from './decisions/access-sql.ts'
import type { Privilege } from './privileges.ts'
import type { Queries } from './decisions/queries.ts'
import { findReaches, type Reach } from './decisions/reach.ts'
import { ENVIRONMENT_ID, lockObject } from './relations/store.ts'
import {
  withoutDataView,
  type Permission,
  privilegeRule,
  rulePrivileges,
  type ResourceType,
  permissionRule,
} from './schema.ts'

/** The context, or `accessIn(tx)`. */
export type Access = Pick<Runtime, 'db'> & { decisions: Decisions }

export const callerSubject = ({ userId }: Pick<Caller, 'userId'>): Subject => ({ type: 'user', id: userId })

/**
 * Whether a token's limits allow an action. A limited token allows only what its privileges are for, as far as its user
 * may do that.
 * @param sufficient any of these privileges is enough; empty if no privilege covers the action
 */
export const isWithinToken = ({ privileges }: Caller, sufficient: Privilege[]) =>
  privileges === null || sufficient.some((privilege) => privileges.includes(privilege))

/** Types that a token for a dashboard views in addition to those of `data_view`. */
const shownTypes: ResourceType[] = ['node', 'resource_item']

/** Whether a token's limits allow the permission on some object of the type. */
export const isTypeWithinToken = (caller: Caller, type: ResourceType, permission: Permission) =>
  isWithinToken(caller, rulePrivileges(permissionRule(type, permission))) ||
  (caller.shown !== undefined && permission === 'view' && shownTypes.includes(type))

/** Refuses what a token for a dashboard asks beyond it. It does not say whether such an object exists. */
export const beyondDashboard = ({ dashboardId }: Shown): ApiError =>
  new ApiError(
    'forbidden',
    `This API token is limited to what the dashboard ${dashboardId} shows, which this is no part of.`,
    { required: { privileges: null } },
  )

/**
 * Refuses what a token for a dashboard asks beyond it; call it before the object is looked up.
 * @throws forbidden
 */
export function requireShown({ shown }: Caller, { type, id }: Resource): void {
  if (shown && !listShown(shown, type).has(id)) throw beyondDashboard(shown)
}

const BEYOND_TOKEN = 'This API token is limited to other privileges.'

/**
 * Requires a permission on one object.
 * @throws forbidden, not_found
 */
export async function requirePermission(
  access: Access,
  caller: Caller,
  permission: Permission,
  resource: Resource,
): Promise<void> {
  const { tenantId } = caller
  requireShown(caller, resource)
  const question = permissionQuestion(tenantId, callerSubject(caller), permission, resource)
  const withinToken = isTypeWithinToken(caller, resource.type, permission)
  if (withinToken && (await access.decisions.check(question))) return
  await requireExists(access, tenantId, resource)
  const { type, id } = resource
  const message = `This needs the permission ${permission} on the ${typeNoun(type)} ${id}.`
  throw new ApiError('forbidden', withinToken ? message : `${message} ${BEYOND_TOKEN}`, {
    required: { permission, resourceType: type, resourceId: id },
  })
}

/**
 * Requires the privilege in any organization of the caller's tenant.
 * @throws forbidden
 */
export async function requirePrivilege(access: Access, caller: Caller, privilege: Privilege): Promise<void> {
  const question = {
    tenantId: caller.tenantId,
    subject: callerSubject(caller),
    rule: privilegeRule(privilege),
  }
  await requireHeld(caller, privilege, () => access.decisions.checkAnywhere(question))
}

/**
 * Requires the privilege in one organization, as for creating an object there.
 * @throws forbidden, not_found
 */
export async function requirePrivilegeIn(
  access: Access,
  caller: Caller,
  privilege: Privilege,
  organizationId: string,
): Promise<void> {
  const { tenantId } = caller
  const id = organizationId.toLowerCase()
  const isHeld = async () => {
    const question = privilegeQuestion(tenantId, callerSubject(caller), privilege, id)
    if (await access.decisions.check(question)) return true
    if (await exists(access, tenantId, { type: 'organization', id })) return false
    throw notFound('organization', organizationId)
  }
  await requireHeld(caller, privilege, isHeld, id)
}

/**
 * Requires the privilege in the tenant's first root organization, since onboarding objects belong to the tenant.
 * [docs/access#privileges]
 * @throws forbidden
 */
export async function requirePrivilegeInRoot(
  access: Access,
  caller: Caller,
  privilege: Privilege,
): Promise<void> {
  const root = await access.db
    .selectFrom('organizations')
    .select('id')
    .where('tenant_id', '=', caller.tenantId)
    .where('parent_organization_id', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow()
  const question = privilegeQuestion(caller.tenantId, callerSubject(caller), privilege, root.id)
  await requireHeld(caller, privilege, () => access.decisions.check(question), root.id)
}

/**
 * Requires an owner of the tenant, which is equivalent to the permission to delete it.
 * @throws forbidden
 */
export const requireTenantOwner = (access: Access, caller: Caller): Promise<void> =>
  requirePermission(access, caller, 'delete', { type: 'tenant', id: caller.tenantId })

async function requireHeld(
  caller: Caller,
  privilege: Privilege,
  isHeld: () => Promise<boolean>,
  organizationId?: string,
): Promise<void> {
  const withinToken = isWithinToken(caller, [privilege])
  if (withinToken && (await isHeld())) return
  const place = organizationId ? ` in the organization ${organizationId}` : ''
  const because = withinToken ? 'You do not hold it.' : BEYOND_TOKEN
  throw new ApiError('forbidden', `This needs the privilege ${privilege}${place}. ${because}`, {
    required: { privilege, ...(organizationId && { organizationId }) },
  })
}

/**
 * Refuses tokens that are limited to other types. All other callers may list the type and ask about it.
 * @throws forbidden
 */
export async function requireWithinToken(
  caller: Caller,
  type: ResourceType,
  permission: Permission = 'view',
): Promise<void> {
  if (isTypeWithinToken(caller, type, permission)) return
  const sufficient = rulePrivileges(permissionRule(type, permission))
  const [privilege] = sufficient
  const needed = privilege ? `the privilege ${sufficient.join(' or ')}` : 'a token without limits'
  throw new ApiError('forbidden', `This needs ${needed}. ${BEYOND_TOKEN}`, {
    required: privilege ? { privilege } : { resourceType: type },
  })
}

/**
 * Requires to view an object by more than `data_view`, which allows no changes; acknowledging an alarm needs no more
 * than that.
 * @throws forbidden
 */
export async function requireBeyondDataView(
  access: Access,
  caller: Caller,
  resource: Resource,
): Promise<void> {
  const question = permissionQuestion(caller.tenantId, callerSubject(caller), 'view', resource)
  const rule = withoutDataView(question.rule)
  const withinToken = isWithinToken(caller, rulePrivileges(rule))
  if (withinToken && (await access.decisions.check({ ...question, rule }))) return
  const { type, id } = resource
  const because = withinToken ? 'You see it by the privilege data_view, which changes nothing.' : BEYOND_TOKEN
  throw new ApiError(
    'forbidden',
    `Changing this needs more than data_view on the ${typeNoun(type)} ${id}. ${because}`,
    {
      required: { privilege: rulePrivileges(rule)[0], resourceType: type, resourceId: id },
    },
  )
}

/**
 * Refuses questions about a privilege from a token that is limited to other privileges.
 * @throws forbidden
 */
export function requirePrivilegeWithinToken(caller: Caller, privilege: Privilege): void {
  if (isWithinToken(caller, [privilege])) return
  throw new ApiError('forbidden', `This needs the privilege ${privilege}. ${BEYOND_TOKEN}`, {
    required: { privilege },
  })
}

/**
 * Refuses limited tokens, for routes that concern all types.
 * @throws forbidden
 */
export function requireUnlimited({ privileges }: Caller): void {
  if (privileges === null) return
  const message = 'This needs an API token without limits, or a sign-in: it covers objects of all types.'
  throw new ApiError('forbidden', message, { required: { privileges: null } })
}

/** Whether the caller has the permission. */
export const isAllowed = (
  access: Access,
  caller: Caller,
  permission: Permission,
  resource: Resource,
): Promise<boolean> =>
  access.decisions.check(permissionQuestion(caller.tenantId, callerSubject(caller), permission, resource))

/** Finds which objects of the type the caller may view, for `visibleTo` in a list's own query. */
export async function findCallerReach(
  ctx: { pool: Queries },
  caller: Caller,
  type: ResourceType,
): Promise<Reach> {
  const [reach] = await findCallerReaches(ctx, caller, [type])
  return reach!
}

/** The same for several types, with one statement, in the order of the types. */
export async function findCallerReaches(
  ctx: { pool: Queries },
  caller: Caller,
  types: ResourceType[],
): Promise<Reach[]> {
  const { tenantId, shown } = caller
  const request = { tenantId, subject: callerSubject(caller), permission: 'view' } as const
  const reaches = await findReaches(
    ctx.pool,
    types.map((type) => ({ ...request, type })),
  )
  return shown ? reaches.map((reach) => ({ ...reach, only: [...listShown(shown, reach.type)] })) : reaches
}

/** Every existing object has a parent, except the tenant and the environment. */
async function exists(
  { db }: Pick<Access, 'db'>,
  tenantId: string,
  { type, id }: Resource,
): Promise<boolean> {
  if (type === 'environment') return id === ENVIRONMENT_ID
  if (type === 'tenant') return id === tenantId
  const row = await db
    .selectFrom('relations')
    .select('relation')
    .where('tenant_id', '=', tenantId)
    .where('resource_type', '=', type)
    .where('resource_id', '=', id)
    .where('relation', '=', 'parent')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Answers 404 instead of 403 for an object that is deleted while its access is checked. @throws not_found */
export async function requireExists(
  access: Pick<Access, 'db'>,
  tenantId: string,
  resource: Resource,
): Promise<void> {
  if (!(await exists(access, tenantId, resource))) throw notFound(typeNoun(resource.type), resource.id)
}

/** Keeps an object from being deleted until the transaction ends. @throws not_found */
export async function requireAndLock(
  tx: Kysely<Tables>,
  tenantId: string,
  resource: Resource,
): Promise<void> {
  if (!(await lockObject(tx, tenantId, resource))) throw notFound(typeNoun(resource.type), resource.id)
}

/** The type as a noun in messages: `provider_client` → provider client. */
const typeNoun = (type: ResourceType) => type.replaceAll('_', ' ')
