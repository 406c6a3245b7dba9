/**
 * All access rules, as data; [docs/access] explains them. Check, explain, the lists and impact all use `permissionRule`
 * and `privilegeRule`; nothing else decides.
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

/**
 * "A user is also its groups, and the organizations that it or its groups are `member` of." A subject has everything
 * that these have.
 */
export const impliedMemberships: { subject: SubjectType; relation: Relation; of: SubjectType }[] = [
  { subject: 'user', relation: 'member', of: 'group' },
  { subject: 'user', relation: 'manager', of: 'group' },
  { subject: 'user', relation: 'owner', of: 'group' },
  { subject: 'user', relation: 'member', of: 'organization' },
  { subject: 'group', relation: 'member', of: 'organization' },
]

/** Whether the relation is a membership: its subject then has everything that the object has. */
export const isMembership = (tuple: {
  subjectType: SubjectType
  relation: Relation
  resourceType: ResourceType
}) =>
  impliedMemberships.some(
    ({ subject, relation, of }) =>
      subject === tuple.subjectType && relation === tuple.relation && of === tuple.resourceType,
  )

/** `in`: the types that an object's parent can have. `privilege`: the privilege that manages objects of the type. */
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
  // Binding descriptions need no privilege of their own: users who bind assets create them.
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
/** Queries over permissions do not include the environment and the tenant. [docs/access#questions] */
export const objectTypes = resourceTypes.filter((type) => type !== 'environment' && type !== 'tenant')
export const parentTypes = (type: ResourceType): SubjectType[] => types[type].in

/** The relations that give each permission, on the object itself and on tree nodes above it. */
const directRelations: Record<Permission, Relation[]> = {
  view: ['viewer', 'manager', 'owner'],
  manage: ['manager', 'owner'],
  delete: ['owner'],
  share: ['manager', 'owner'],
}

/**
 * The relations that give `view` on organizations above, the tenant and the environment: "`viewer` sees all objects
 * there and below".
 */
const viewingBelow: Relation[] = ['viewer', 'manager', 'owner']
/** "`owner` and `manager` hold every privilege there and in all organizations below." */
export const relationsHolding = (privilege: Privilege): Relation[] => [
  'owner',
  'manager',
  holderRelation(privilege),
]
const listHolders = (privilege: Privilege): PrivilegeHolder[] =>
  relationsHolding(privilege).map((relation) => ({ relation, privilege }))

/** The types that `data_view` sees, in addition to the telemetry of assets and provider clients. */
const dataTypes: ResourceType[] = ['asset', 'alarm', 'dashboard', 'provider_client']

export interface PrivilegeHolder {
  relation: Relation
  /** The privilege must be effective in the object's organization. */
  privilege: Privilege
}

/** The relations that give a permission or a privilege, by the place where they are held. */
export interface Rule {
  /** On the object itself. With `parent`, an organization and its members see what belongs to it. */
  onObject: Relation[]
  /** On a tree node above. */
  onNodeAbove: Relation[]
  /** On an organization above, the tenant or the environment. */
  onOrganizationAbove: Relation[]
  /** On the same places and on an organization itself, but only where the privilege is effective. */
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
    // A relation that gives the permission without a privilege is not listed again.
    byPrivilege: byPrivilege.filter(({ relation }) => !onOrganizationAbove.includes(relation)),
  }
}

/** The privileges of a rule, each of which is sufficient where it is effective; the type's own comes first. */
export const rulePrivileges = ({ byPrivilege }: Pick<Rule, 'byPrivilege'>): Privilege[] => [
  ...new Set(byPrivilege.map(({ privilege }) => privilege)),
]

/** Returns the rule for actions that need more than `data_view`, although it shows the object. */
export const withoutDataView = (rule: Rule): Rule => ({
  ...rule,
  byPrivilege: rule.byPrivilege.filter(({ privilege }) => privilege !== 'data_view'),
})

/** Any relation to an organization, a tenant or a group lets its subject view it. Objects inside do not. */
function viewingRelations(type: ResourceType): Relation[] {
  if (type === 'organization' || type === 'tenant') return ['member', ...privileges.map(holderRelation)]
  return type === 'group' ? ['member', 'parent'] : ['parent']
}

/** The rule of holding a privilege in an organization, evaluated for an object that would belong to it. */
export const privilegeRule = (privilege: Privilege): Rule => ({
  onObject: [],
  onNodeAbove: [],
  onOrganizationAbove: [],
  byPrivilege: listHolders(privilege),
})

/** The relations that an object of the type can have. */
export function typeRelations(type: ResourceType): Relation[] {
  const onAny: Relation[] = ['owner', 'manager', 'viewer']
  if (type === 'environment') return ['owner']
  if (type === 'tenant') return [...onAny, 'member', ...privileges.map(holderRelation)]
  if (type === 'organization') return [...onAny, 'member', ...privileges.map(holderRelation), 'parent']
  return type === 'group' ? [...onAny, 'member', 'parent'] : [...onAny, 'parent']
}

/**
 * The types of subjects that can have the relation to an object of the type; empty if the type does not have the
 * relation.
 */
export function subjectTypesFor(type: ResourceType, relation: Relation): readonly SubjectType[] {
  if (!typeRelations(type).includes(relation)) return []
  if (relation === 'parent') return parentTypes(type)
  if (relation === 'member') return type === 'group' ? ['user'] : ['user', 'group']
  return subjectTypes
}

/** The relations that a tuple can name. */
export const relations: Relation[] = [...typeRelations('organization')]
