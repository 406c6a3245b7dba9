/**
 * The whole of who may do what, as data: read it beside [docs/access]. Check, explain, the lists and impact all ask
 * `ruleOf` and `privilegeRule`, and nothing else decides.
 */
import { type Privilege, privileges } from './privileges.ts'

export const subjectTypes = ['user', 'group', 'organization', 'tenant', 'node'] as const
export const permissions = ['view', 'manage', 'delete', 'share'] as const

/** `asset_management` → `asset_manager`, `data_view` → `data_viewer` */
type Holder<P extends Privilege = Privilege> = P extends `${infer Name}_management`
  ? `${Name}_manager`
  : `${P}er`
export type Relation = 'owner' | 'manager' | 'viewer' | 'member' | 'parent' | Holder
export type SubjectType = (typeof subjectTypes)[number]
export type Permission = (typeof permissions)[number]

/** "`X_manager` holds `X_management`", and `data_viewer` holds `data_view`. */
export const holderRelation = (privilege: Privilege) =>
  (privilege === 'data_view' ? 'data_viewer' : privilege.replace(/ment$/, 'r')) as Holder

/** "A user is also its groups, and the organizations that it or its groups are `member` of." */
export const impliedMemberships: { subject: SubjectType; relation: Relation; of: SubjectType }[] = [
  { subject: 'user', relation: 'member', of: 'group' },
  { subject: 'user', relation: 'manager', of: 'group' },
  { subject: 'user', relation: 'owner', of: 'group' },
  { subject: 'user', relation: 'member', of: 'organization' },
  { subject: 'group', relation: 'member', of: 'organization' },
]

/** Whether who stands in the relation stands for the object, and so has all that it has. */
export const isMembership = (tuple: {
  subjectType: SubjectType
  relation: Relation
  resourceType: ResourceType
}) =>
  impliedMemberships.some(
    ({ subject, relation, of }) =>
      subject === tuple.subjectType && relation === tuple.relation && of === tuple.resourceType,
  )

/** `in`: the types that stand above by the relation `parent`. `privilege`: the type's own. */
interface TypeOfObject {
  in: SubjectType[]
  privilege: Privilege | null
}

/** "An object belongs to its `organizationId`"; users and groups belong to the tenant. A node contains nodes and assets. */
const types = {
  environment: { in: [], privilege: null },
  tenant: { in: [], privilege: null },
  organization: { in: ['organization', 'tenant'], privilege: 'organization_management' },
  group: { in: ['tenant'], privilege: 'user_management' },
  user: { in: ['tenant'], privilege: 'user_management' },
  node: { in: ['organization', 'node'], privilege: 'tree_management' },
  asset: { in: ['organization', 'node'], privilege: 'asset_management' },
  model: { in: ['organization'], privilege: 'model_management' },
  // Whoever binds assets makes them, so that they have no privilege of their own.
  binding_description: { in: ['organization'], privilege: 'asset_management' },
  alarm: { in: ['organization'], privilege: 'alarm_management' },
  provider: { in: ['organization'], privilege: 'provider_management' },
  provider_client: { in: ['organization'], privilege: 'provider_client_management' },
  provider_template: { in: ['organization'], privilege: 'provider_management' },
  dashboard: { in: ['organization'], privilege: 'dashboard_management' },
  notification: { in: ['organization'], privilege: 'notification_management' },
  contact_group: { in: ['organization'], privilege: 'contact_group_management' },
  resource_item: { in: ['organization'], privilege: 'resource_item_management' },
  // Releases, deployment templates and deployments.
  firmware: { in: ['organization'], privilege: 'firmware_management' },
} satisfies Record<string, TypeOfObject>

export type ResourceType = keyof typeof types
export const resourceTypes = Object.keys(types) as ResourceType[]
/** Queries over permissions know no environment and no tenant. [docs/access#questions] */
export const objectTypes = resourceTypes.filter((type) => type !== 'environment' && type !== 'tenant')
export const parentTypes = (type: ResourceType): SubjectType[] => types[type].in

/** "Viewer, manager, owner" as far as they reach for each permission, on the object and handed down by tree nodes. */
const directRelations: Record<Permission, Relation[]> = {
  view: ['viewer', 'manager', 'owner'],
  manage: ['manager', 'owner'],
  delete: ['owner'],
  share: ['manager', 'owner'],
}

/** On the organizations above, the tenant and the environment: "`viewer` sees all objects there and below". */
const viewingBelow: Relation[] = ['viewer', 'manager', 'owner']
/** "`owner` and `manager` hold every privilege there and in all organizations below." */
export const relationsHolding = (privilege: Privilege): Relation[] => [
  'owner',
  'manager',
  holderRelation(privilege),
]
const listHolders = (privilege: Privilege): PrivilegeHolder[] =>
  relationsHolding(privilege).map((relation) => ({ relation, privilege }))

/** The types that `data_view` sees, besides the telemetry that belongs to assets and provider clients. */
const dataTypes: ResourceType[] = ['asset', 'alarm', 'dashboard', 'provider_client']

export interface PrivilegeHolder {
  relation: Relation
  /** Must be effective where the object belongs. */
  privilege: Privilege
}

/** Which relations give what is asked for, by where they are held. */
export interface Rule {
  /** On the object itself. `parent`: an organization sees what belongs to it, and so does its member. */
  onObject: Relation[]
  /** On a tree node above. */
  onNodeAbove: Relation[]
  /** On an organization above, the tenant or the environment. */
  onOrganizationAbove: Relation[]
  /** There too, and on an organization itself; but only where the privilege is effective. */
  byPrivilege: PrivilegeHolder[]
}

export function permissionRule(type: ResourceType, permission: Permission): Rule {
  const { privilege } = types[type]
  const onOrganizationAbove =
    type === 'tenant' ? ['owner' as const] : permission === 'view' ? viewingBelow : []
  const byPrivilege = [
    ...(privilege ? listHolders(privilege) : []),
    ...(permission === 'view' && dataTypes.includes(type) ? listHolders('data_view') : []),
  ]
  return {
    onObject: [...directRelations[permission], ...(permission === 'view' ? viewingRelations(type) : [])],
    onNodeAbove: parentTypes(type).includes('node') ? directRelations[permission] : [],
    onOrganizationAbove,
    // A relation that gives the permission by itself is not listed again beside a privilege.
    byPrivilege: byPrivilege.filter(({ relation }) => !onOrganizationAbove.includes(relation)),
  }
}

/** Any one of them gives what is asked, where it is effective; the type's own comes first. */
export const rulePrivileges = ({ byPrivilege }: Pick<Rule, 'byPrivilege'>): Privilege[] => [
  ...new Set(byPrivilege.map(({ privilege }) => privilege)),
]

/** For what `data_view` is not enough, though it lets one see the object. */
export const withoutDataView = (rule: Rule): Rule => ({
  ...rule,
  byPrivilege: rule.byPrivilege.filter(({ privilege }) => privilege !== 'data_view'),
})

/** Whoever stands in any relation to an organization, a tenant or a group sees it. What is in it sees nothing of it. */
function viewingRelations(type: ResourceType): Relation[] {
  if (type === 'organization' || type === 'tenant') return ['member', ...privileges.map(holderRelation)]
  return type === 'group' ? ['member', 'parent'] : ['parent']
}

/** The rule of holding a privilege in an organization: asked as of an object that belongs to it. */
export const privilegeRule = (privilege: Privilege): Rule => ({
  onObject: [],
  onNodeAbove: [],
  onOrganizationAbove: [],
  byPrivilege: listHolders(privilege),
})

/** The relations that an object of the type knows. */
export function typeRelations(type: ResourceType): Relation[] {
  const onAny: Relation[] = ['owner', 'manager', 'viewer']
  if (type === 'environment') return ['owner']
  if (type === 'tenant') return [...onAny, 'member', ...privileges.map(holderRelation)]
  if (type === 'organization') return [...onAny, 'member', ...privileges.map(holderRelation), 'parent']
  return type === 'group' ? [...onAny, 'member', 'parent'] : [...onAny, 'parent']
}

/** Who can stand in the relation to an object of the type; empty where the type does not know it. */
export function subjectTypesFor(type: ResourceType, relation: Relation): readonly SubjectType[] {
  if (!typeRelations(type).includes(relation)) return []
  if (relation === 'parent') return parentTypes(type)
  if (relation === 'member') return type === 'group' ? ['user'] : ['user', 'group']
  return subjectTypes
}

/** The relations that a tuple can name. */
export const relations: Relation[] = [...typeRelations('organization')]
