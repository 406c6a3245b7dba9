/** The types of objects that relations name: where they are listed, read and shown. */
import { ApiError, type Gangway, type ListPath, type Schemas } from '@gangway/client'
import { links, type PageLink } from '../../links.ts'
import { type CodeExample, listExample } from '../../parts/code/example.ts'
import type { IconName } from '../../parts/Icon.tsx'

export type Tuple = Schemas['Relation']
export type ObjectType = Tuple['resourceType']
export type SubjectType = Tuple['subjectType']
export type Relation = Tuple['relation']
export type Permission = Schemas['Permission']['permission']

export interface ObjectRef {
  type: ObjectType | SubjectType
  id: string
}

/** An object by its name, with its own page where it has one. */
export interface NamedObject {
  id: string
  name: string
  link?: PageLink
}

/** A type whose objects the API lists. */
interface Kind {
  icon: IconName
  list: ListPath
  /** The route of one object; absent where the API finds it in the list alone. */
  one?: string
  /** Routes and pages of other objects whose permissions are of this type. */
  others?: { one: string; link: (row: Row) => PageLink }[]
  /** Whether the list takes `search`. */
  isSearched: boolean
  link?: (row: Row) => PageLink
}

/** What the lists of the API have in common. */
interface Row {
  id: string
  displayName?: string
  name?: string
  providerId?: string
}

export const kinds = {
  user: {
    icon: 'user',
    list: '/v1/users',
    one: '/v1/users/{userId}',
    isSearched: true,
    link: ({ id }) => links.user(id),
  },
  group: {
    icon: 'people',
    list: '/v1/groups',
    one: '/v1/groups/{groupId}',
    isSearched: true,
    link: ({ id }) => links.userGroup(id),
  },
  organization: {
    icon: 'organization',
    list: '/v1/organizations',
    one: '/v1/organizations/{organizationId}',
    isSearched: true,
    link: ({ id }) => links.organization(id),
  },
  node: { icon: 'node', list: '/v1/tree/nodes', one: '/v1/tree/nodes/{nodeId}', isSearched: true },
  asset: {
    icon: 'assets',
    list: '/v1/assets',
    one: '/v1/assets/{assetId}',
    isSearched: true,
    link: ({ id }) => links.asset(id),
  },
  provider_client: {
    icon: 'devices',
    list: '/v1/provider-clients',
    isSearched: true,
    link: ({ id, providerId = '' }) => links.device(providerId, id),
  },
  alarm: {
    icon: 'rules',
    list: '/v1/alarms',
    one: '/v1/alarms/{alarmId}',
    isSearched: true,
    link: ({ id }) => links.rule(id),
  },
  dashboard: {
    icon: 'dashboards',
    list: '/v1/dashboards',
    one: '/v1/dashboards/{dashboardId}',
    isSearched: true,
    link: ({ id }) => links.dashboard(id),
  },
  model: {
    icon: 'models',
    list: '/v1/models',
    one: '/v1/models/{modelId}',
    isSearched: true,
    link: ({ id }) => links.model(id),
  },
  notification: {
    icon: 'mail',
    list: '/v1/notifications',
    one: '/v1/notifications/{notificationId}',
    isSearched: true,
    link: ({ id }) => links.notification(id),
  },
  contact_group: {
    icon: 'people',
    list: '/v1/contactgroups',
    one: '/v1/contactgroups/{contactGroupId}',
    isSearched: true,
    link: ({ id }) => links.contactGroup(id),
  },
  provider: {
    icon: 'onboarding',
    list: '/v1/providers',
    one: '/v1/providers/{providerId}',
    isSearched: true,
    link: ({ id }) => links.devices({ provider: id }),
  },
  provider_template: {
    icon: 'onboarding',
    list: '/v1/provider-templates',
    one: '/v1/provider-templates/{templateId}',
    isSearched: true,
  },
  binding_description: {
    icon: 'models',
    list: '/v1/binding-descriptions',
    one: '/v1/binding-descriptions/{bindingDescriptionId}',
    isSearched: false,
  },
  resource_item: {
    icon: 'files',
    list: '/v1/resources',
    one: '/v1/resources/{resourceId}',
    isSearched: true,
    link: ({ id }) => links.file(id),
  },
  firmware: {
    icon: 'firmware',
    list: '/v1/firmware/releases',
    one: '/v1/firmware/releases/{releaseId}',
    others: [
      { one: '/v1/firmware/deployments/{deploymentId}', link: ({ id }) => links.deployment(id) },
      {
        one: '/v1/firmware/deployment-templates/{deploymentTemplateId}',
        link: ({ id }) => links.deploymentTemplate(id),
      },
    ],
    isSearched: true,
    link: ({ id }) => links.release(id),
  },
} satisfies Record<Exclude<ObjectType, 'tenant' | 'environment'>, Kind>

/** The types that the API lists, and about whose permissions it answers. */
export type ListedType = keyof typeof kinds
export const listedTypes = Object.keys(kinds) as ListedType[]
export const isListed = (type: string): type is ListedType => type in kinds

export const iconOf = (type: ObjectRef['type']): IconName =>
  isListed(type) ? kinds[type].icon : 'organization'

interface ListQuery {
  search?: string
  limit: number
  cursor?: string | undefined
}

const writeQuery = (kind: Kind, { search = '', limit, cursor }: ListQuery) => ({
  limit,
  cursor,
  search: (kind.isSearched && search.trim()) || undefined,
})

/** The list of a type, for scripts. */
export const listObjectsExample = (type: ListedType, query: ListQuery): CodeExample =>
  listExample(kinds[type].list, { query: writeQuery(kinds[type], query) })

/** Lists a page of the objects of a type that the user may view. */
export async function listObjects(
  api: Gangway,
  type: ListedType,
  { signal, ...request }: ListQuery & { signal: AbortSignal },
): Promise<{ items: NamedObject[]; cursor: string | null }> {
  const kind: Kind = kinds[type]
  const page = await api.page(kind.list, { query: writeQuery(kind, request), signal })
  return { items: (page.items as unknown as Row[]).map((row) => toNamed(kind, row)), cursor: page.cursor }
}

/** Reads the name of one object. @throws the refusal of the server; an error if the list does not have it */
export async function readObject(
  api: Gangway,
  { type, id }: { type: ListedType; id: string },
  signal: AbortSignal,
): Promise<NamedObject> {
  const kind: Kind = kinds[type]
  if (kind.one !== undefined) {
    const routes = [{ one: kind.one, link: kind.link }, ...(kind.others ?? [])]
    for (const [index, { one, link }] of routes.entries())
      try {
        const [, parameter] = /\{(\w+)\}/.exec(one)!
        const row = await api.get(one as never, { path: { [parameter!]: id }, signal } as never)
        return toNamed({ link }, { ...(row as Row), id })
      } catch (error) {
        const isMissing = error instanceof ApiError && error.status === 404
        if (!isMissing || index === routes.length - 1) throw error
      }
  }
  const { items } = await listObjects(api, type, { search: id, limit: 50, signal })
  const found = items.find((item) => item.id === id)
  if (found === undefined) throw new Error(`${type} ${id}`)
  return found
}

const toNamed = ({ link }: { link?: Kind['link'] | undefined }, row: Row): NamedObject => ({
  id: row.id,
  name: row.displayName || row.name || row.id,
  ...(link !== undefined && { link: link(row) }),
})

/** The relations that an object of the type can have, without `parent`, which the platform writes. */
export const listRelationNames = (type: ObjectType, privileges: readonly Relation[]): Relation[] => {
  const onAny: Relation[] = ['viewer', 'manager', 'owner']
  if (type === 'environment') return ['owner']
  if (type === 'group') return ['member', ...onAny]
  return type === 'organization' || type === 'tenant' ? ['member', ...onAny, ...privileges] : onAny
}

/** The types of subjects that can have the relation. */
export function listSubjectTypes(type: ObjectType, relation: Relation): SubjectType[] {
  if (relation === 'member') return type === 'group' ? ['user'] : ['user', 'group']
  return ['user', 'group', 'organization', 'node', 'tenant']
}

export const tupleKey = (tuple: Tuple) =>
  [tuple.subjectType, tuple.subjectId, tuple.relation, tuple.resourceType, tuple.resourceId].join(' ')

export const permissions = ['view', 'manage', 'delete', 'share'] as const satisfies readonly Permission[]

/** The subjects about which pages ask; a tenant and a node have permissions rarely. */
export const subjectKinds = ['user', 'group', 'organization'] as const satisfies readonly SubjectType[]
