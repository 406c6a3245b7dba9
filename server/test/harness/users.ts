/** Users of a test's tenant, signed in, with the relations that a test gives them. */
import { adminPassword, type Platform, signInAs } from './platform.ts'

export interface TestUser {
  id: string
  email: string
  token: string
}

let made = 0

/** @param token of the caller who creates the user; default: the administrator of tenant `default` */
export async function makeUser(platform: Platform, options: { token?: string } = {}): Promise<TestUser> {
  const user = await createUser(platform, options)
  return { ...user, token: await signInAs(platform.ctx, user.id) }
}

/** Without a sign-in, for a server that is a process of its own. */
export async function createUser(
  platform: Platform,
  options: { token?: string } = {},
): Promise<Omit<TestUser, 'token'>> {
  const email = `user-${++made}@example.com`
  const body = { displayName: email, email, password: adminPassword }
  const answer = await platform.post('/v1/users', body, options)
  if (answer.status !== 201)
    throw new Error(`making a user answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return { id: answer.body.id, email }
}

/** @param text `group:<id> asset_manager organization:<id>`; a subject without type is a user */
export async function relate(platform: Platform, text: string, options: { token?: string } = {}) {
  const [subject = '', relation, resource = ''] = text.split(' ')
  const [subjectType, subjectId] = subject.includes(':') ? subject.split(':') : ['user', subject]
  const [resourceType, resourceId] = resource.split(':')
  const tuple = { subjectType, subjectId, resourceType, resourceId, relation }
  return platform.post('/v1/relations', tuple, options)
}

export async function makeOrganization(
  platform: Platform,
  fields: object = {},
  options: { token?: string } = {},
): Promise<string> {
  const body = { displayName: 'Branch', parentOrganizationId: platform.organizationId, ...fields }
  const answer = await platform.post('/v1/organizations', body, options)
  if (answer.status !== 201)
    throw new Error(`making an organization answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body.id
}
