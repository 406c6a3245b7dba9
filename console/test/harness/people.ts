/** Organizations, people and relations for the pages of administration, with hostile names. */
import { adminPassword } from '../../../server/test/harness/first-administrator.ts'
import type { GuardedPage, TestConsole } from './console.ts'
import { type Api, hostileNames } from './fixtures.mjs'

export interface People {
  rootId: string
  northId: string
  lineId: string
  southId: string
  groupId: string
  managerId: string
  viewerId: string
}

export const email = (name: string) => `${name}@example.com`

/** Two branches, one with a line below; a manager and a viewer of the first; a group that views the second. */
export async function makePeople(api: Api): Promise<People> {
  const [{ id: rootId }] = await api('GET', '/v1/organizations')
  const branch = async (displayName: string, parentOrganizationId: string): Promise<string> =>
    (await api('POST', '/v1/organizations', { displayName, parentOrganizationId })).id
  const northId = await branch('North', rootId)
  const lineId = await branch(hostileNames[0]!, northId)
  const southId = await branch('South', rootId)
  const user = (name: string, displayName: string) => makeUser(api, name, displayName)
  const managerId = await user('mara', 'Mara Manager')
  const viewerId = await user('vic', 'Vic Viewer')
  for (const [index, name] of hostileNames.entries()) await user(`hostile-${index}`, name)
  const { id: groupId } = await api('POST', '/v1/groups', {
    displayName: hostileNames[2],
    description: 'Shift',
  })
  const relate = (subject: string, relation: string, resource: string) => {
    const [subjectType, subjectId] = subject.split(' ')
    const [resourceType, resourceId] = resource.split(' ')
    return api('POST', '/v1/relations', { subjectType, subjectId, relation, resourceType, resourceId })
  }
  await relate(`user ${managerId}`, 'manager', `organization ${northId}`)
  await relate(`user ${viewerId}`, 'viewer', `organization ${northId}`)
  await relate(`user ${viewerId}`, 'member', `group ${groupId}`)
  await relate(`group ${groupId}`, 'viewer', `organization ${southId}`)
  return { rootId, northId, lineId, southId, groupId, managerId, viewerId }
}

async function makeUser(api: Api, name: string, displayName: string): Promise<string> {
  return (await api('POST', '/v1/users', { displayName, email: email(name), password: adminPassword })).id
}

/** Creates a user with one relation to an organization. @param held such as `provider_manager <organization id>` */
export async function makePerson(api: Api, name: string, held: string) {
  const [relation, resourceId] = held.split(' ')
  const subject = { subjectType: 'user', subjectId: await makeUser(api, name, name) }
  await api('POST', '/v1/relations', { ...subject, relation, resourceType: 'organization', resourceId })
}

/** Opens a page as a user that `makePeople` or `makePerson` has created. */
export const openAs = (world: TestConsole, name: string, path: string): Promise<GuardedPage> =>
  world.openSignedIn(path, undefined, { email: email(name), password: adminPassword })
