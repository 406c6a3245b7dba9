import { afterAll, beforeAll, expect, test } from 'vitest'
import { adminPassword, apiAt, logIn, type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { newId } from '../../lib/ids.ts'
import { hashPassword } from '../sign-in/passwords.ts'
import { insertViewers, updateViewers } from './authorization-context.ts'
import { insertRelations, insertTenantParent, type RelationTuple } from './store.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

/** Another user of the tenant, with a token. */
async function makeUser(name: string) {
  const { db } = platform.ctx
  const id = newId()
  const email = `${name}@example.com`
  const password_hash = await hashPassword(adminPassword)
  await db
    .insertInto('users')
    .values({ id, tenant_id: 'default', display_name: name, email, password_hash })
    .execute()
  await insertTenantParent(db, 'default', 'user', id)
  return { id, token: await logIn(apiAt(platform.url), email, adminPassword) }
}

const admin = async () => (await platform.get('/v1/auth/me')).body.id as string
const onRoot = (userId: string, relation: string) => ({
  subjectType: 'user',
  subjectId: userId,
  resourceType: 'organization',
  resourceId: platform.organizationId,
  relation,
})
const provider = { resourceType: 'provider', resourceId: 'mqtt' }
const write = (tuple: object, token?: string) => platform.post('/v1/relations', tuple, token ? { token } : {})
const remove = (tuple: object, token?: string) =>
  platform.post('/v1/relations/delete', tuple, token ? { token } : {})
const may = async (userId: string, permission: string, token?: string) =>
  platform.post(
    '/v1/permissions/check',
    { subjectType: 'user', subjectId: userId, ...provider, permission },
    token ? { token } : {},
  )

test('a relation is written once, and takes effect and ends at once', async () => {
  const ann = await makeUser('ann')
  expect((await may(ann.id, 'view')).body.result).toBe(false)
  expect((await write(onRoot(ann.id, 'viewer'))).status).toBe(201)
  expect((await write(onRoot(ann.id, 'viewer'))).status).toBe(200)
  expect((await may(ann.id, 'view')).body).toMatchObject({
    subjectId: ann.id,
    permission: 'view',
    result: true,
  })
  const query = {
    resourceType: 'organization',
    optionalSubjectFilter: { subjectType: 'user', optionalSubjectId: ann.id },
  }
  expect((await platform.post('/v1/relations/query', query)).body).toEqual([onRoot(ann.id, 'viewer')])
  expect((await remove(onRoot(ann.id, 'viewer'))).status).toBe(204)
  expect((await may(ann.id, 'view')).body.result).toBe(false)
  expect((await remove(onRoot(ann.id, 'viewer'))).status).toBe(404)
  const log = (
    await platform.get(`/v1/audit-log?resourceType=organization&resourceId=${platform.organizationId}`)
  ).body
  expect(log.map((entry: { action: string }) => entry.action)).toEqual(['delete-relation', 'create-relation'])
})

test.each([
  ['an unknown type', { resourceType: 'planet' }, 400],
  ['an unknown relation', { relation: 'friend' }, 400],
  ['a relation that the type does not know', { ...provider, relation: 'asset_manager' }, 400],
  ['a subject that cannot stand in it', { subjectType: 'node', relation: 'member' }, 400],
  ['parent, which the platform writes', { relation: 'parent' }, 400],
  ['no subject', { subjectId: undefined }, 400],
  ['an unknown subject', { subjectId: 'nobody' }, 404],
  ['an unknown object', { resourceId: newId() }, 404],
])('%s is refused', async (_what, change, status) => {
  expect((await write({ ...onRoot(await admin(), 'viewer'), ...change })).status).toBe(status)
})

test('relations on the environment are written, and no other environment exists', async () => {
  const owner = { ...onRoot(await admin(), 'owner'), resourceType: 'environment', resourceId: 'environment' }
  expect((await write(owner)).status).toBe(200)
  expect((await write({ ...owner, resourceId: 'other' })).status).toBe(404)
})

test('an owner of the environment lists its relations without naming it, and nobody else', async () => {
  const query = (options = {}) =>
    platform.post('/v1/relations/query', { resourceType: 'environment' }, options)
  const { status, body } = await query()
  expect([status, body]).toEqual([
    200,
    [{ ...onRoot(await admin(), 'owner'), resourceType: 'environment', resourceId: 'environment' }],
  ])
  const { token } = await makeUser('environment-reader')
  expect((await query({ token })).status).toBe(403)
})

test('an organization that does not exist is not found, rather than forbidden', async () => {
  const dashboard = { displayName: 'Nowhere', organizationId: newId(), data: {} }
  expect((await platform.post('/v1/dashboards', dashboard)).status).toBe(404)
})

test('new viewers of an object replace only its own organizations', async () => {
  const { ctx, organizationId } = platform
  const [changed, other] = [newId(), newId()]
  const share = { viewableByOrganizations: [organizationId] }
  for (const id of [changed, other]) await insertViewers(ctx.db, 'default', { type: 'dashboard', id }, share)
  const user = { subjectType: 'user', subjectId: await admin(), relation: 'viewer' } as const
  await insertRelations(ctx.db, 'default', [{ ...user, resourceType: 'dashboard', resourceId: changed }])
  const none = { viewableByOrganizations: [] }
  await updateViewers(ctx.db, 'default', { type: 'dashboard', id: changed }, none)
  const relations = ctx.db.selectFrom('relations').select(['resource_id', 'subject_type'])
  expect(
    await relations.where('resource_id', 'in', [changed, other]).orderBy('resource_id').execute(),
  ).toEqual([
    { resource_id: changed, subject_type: 'user' },
    { resource_id: other, subject_type: 'organization' },
  ])
})

test('objects and users of another tenant are not found', async () => {
  const other = await platform.makeTenant('relations-tenant')
  const ann = await makeUser('other-ann')
  expect((await write({ ...onRoot(ann.id, 'viewer'), resourceId: other.organizationId })).status).toBe(404)
  expect((await write(onRoot(ann.id, 'viewer'), other.token)).status).toBe(404)
  expect(
    (await write({ ...onRoot(ann.id, 'viewer'), resourceId: other.organizationId }, other.token)).status,
  ).toBe(404)
  const query = { resourceType: 'provider', optionalResourceId: 'mqtt' }
  const theirs = await platform.post('/v1/relations/query', query, { token: other.token })
  expect(theirs.body).toMatchObject([{ subjectId: other.organizationId, relation: 'parent' }])
})

test('writing needs share on the object, and callers grant no more than they hold', async () => {
  const [bob, cid] = [await makeUser('bob'), await makeUser('cid')]
  const refused = await write(onRoot(cid.id, 'viewer'), bob.token)
  expect([refused.status, refused.body.details.required]).toEqual([
    403,
    { permission: 'share', resourceType: 'organization', resourceId: platform.organizationId },
  ])
  await write(onRoot(bob.id, 'organization_manager'))
  expect((await write(onRoot(cid.id, 'organization_manager'), bob.token)).status).toBe(201)
  for (const more of ['manager', 'owner', 'asset_manager', 'viewer']) {
    const answer = await write(onRoot(cid.id, more), bob.token)
    expect([more, answer.status, answer.body.details.required?.relation]).toEqual([more, 403, more])
  }
  await write(onRoot(bob.id, 'manager'))
  for (const held of ['manager', 'asset_manager', 'viewer', 'member'])
    expect([held, (await write(onRoot(cid.id, held), bob.token)).status]).toEqual([held, 201])
  const owner = { ...onRoot(cid.id, 'owner'), resourceType: 'tenant', resourceId: 'default' }
  expect((await write(owner, bob.token)).status).toBe(403)
})

test('users cannot add themselves to a group that has more permissions than they hold', async () => {
  const [dan, group] = [await makeUser('dan'), newId()]
  const { db } = platform.ctx
  await insertTenantParent(db, 'default', 'group', group)
  await write({ ...onRoot(group, 'asset_manager'), subjectType: 'group' })
  await write({ ...onRoot(dan.id, 'user_manager'), resourceType: 'tenant', resourceId: 'default' })
  const join = {
    subjectType: 'user',
    subjectId: dan.id,
    resourceType: 'group',
    resourceId: group,
    relation: 'member',
  }
  expect((await write(join, dan.token)).status).toBe(403)
  expect((await write(join)).status).toBe(201)
  // Now dan is a member of the group, and its members may add others.
  const erin = await makeUser('erin')
  expect((await write({ ...join, subjectId: erin.id }, dan.token)).status).toBe(201)
})

test('the last owner of a tenant cannot be removed, also not by concurrent requests', async () => {
  const owns = (subjectId: string): RelationTuple => ({
    subjectType: 'user',
    subjectId,
    resourceType: 'tenant',
    resourceId: 'default',
    relation: 'owner',
  })
  const [first, second] = [await admin(), await makeUser('second-owner')]
  expect((await remove(owns(first))).status).toBe(409)
  expect((await write(owns(second.id))).status).toBe(201)
  const answers = await Promise.all([remove(owns(first)), remove(owns(second.id), second.token)])
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([204, 409])
  await insertRelations(platform.ctx.db, 'default', [owns(first)])
})

test('callers may query their own permissions; querying those of others needs view on the object', async () => {
  const fay = await makeUser('fay')
  expect((await may(fay.id, 'view', fay.token)).body.result).toBe(false)
  expect((await may(await admin(), 'view', fay.token)).status).toBe(403)
  const resources = {
    subjectType: 'user',
    subjectId: await admin(),
    resourceType: 'provider',
    permission: 'manage',
  }
  expect((await platform.post('/v1/permissions/resources', resources, { token: fay.token })).body).toEqual([])
  expect((await platform.post('/v1/permissions/resources', resources)).body).toEqual(['mqtt'])
  const subjects = { ...provider, subjectType: 'user', permission: 'view' }
  expect((await platform.post('/v1/permissions/subjects', subjects)).body).toContain(await admin())
  expect((await platform.post('/v1/permissions/subjects', subjects, { token: fay.token })).status).toBe(403)
  const listed = await platform.post('/v1/permissions/query', { ...subjects, subjectId: fay.id })
  expect(listed.body).toEqual([])
  const privilege = { subjectType: 'user', subjectId: await admin(), privilege: 'alarm_management' }
  expect((await platform.post('/v1/privileges/check', privilege)).body.result).toBe(true)
  expect((await platform.post('/v1/privileges/query', privilege)).body).toEqual([
    { ...privilege, organizationId: platform.organizationId },
  ])
  expect((await platform.post('/v1/privileges/check', privilege, { token: fay.token })).status).toBe(403)
})

test('explain shows the chain, or what is missing', async () => {
  const gil = await makeUser('gil')
  const question = { subjectType: 'user', subjectId: gil.id, ...provider, permission: 'view' }
  const no = (await platform.post('/v1/permissions/explain', question)).body
  expect(no).toMatchObject({ result: false, chain: [] })
  expect(no.missing).toContainEqual(onRoot(gil.id, 'provider_manager'))
  await write(onRoot(gil.id, 'provider_manager'))
  const yes = (await platform.post('/v1/permissions/explain', question)).body
  expect(yes).toMatchObject({ result: true, missing: [] })
  expect(yes.chain.map((tuple: { relation: string }) => tuple.relation)).toEqual([
    'provider_manager',
    'parent',
  ])
})

test('impact lists what users would lose, and changes nothing', async () => {
  const hal = await makeUser('hal')
  const tuple = onRoot(hal.id, 'provider_manager')
  await write(tuple)
  const impact = (await platform.post('/v1/relations/impact', tuple)).body
  expect(impact.permissions).toContainEqual({
    userId: hal.id,
    permission: 'manage',
    resourceType: 'provider',
    total: 1,
    resourceIds: ['mqtt'],
  })
  expect(impact.privileges).toEqual([
    { userId: hal.id, privilege: 'provider_management', organizationIds: [platform.organizationId] },
  ])
  expect((await may(hal.id, 'manage')).body.result).toBe(true)
})

test('impact lists a permission only where it is lost on an object', async () => {
  const ina = await makeUser('ina')
  const tuple = onRoot(ina.id, 'viewer')
  await write(tuple)
  const { permissions } = (await platform.post('/v1/relations/impact', tuple)).body
  expect(permissions).toContainEqual(
    expect.objectContaining({ resourceType: 'provider', permission: 'view' }),
  )
  expect(permissions.filter(({ total }: { total: number }) => total === 0)).toEqual([])
})

test('a viewer of an organization does not see the objects that are shared with it', async () => {
  const jim = await makeUser('jim')
  const body = { displayName: 'Branch', parentOrganizationId: platform.organizationId }
  const { id } = (await platform.post('/v1/organizations', body)).body
  const shared = { subjectType: 'organization', subjectId: id, ...provider, relation: 'viewer' }
  await write(shared)
  await write({ ...onRoot(jim.id, 'viewer'), resourceId: id })
  const shown = async (token: string) =>
    (await platform.get(`/v1/organizations/${id}`, { token })).body.relations.OrgToResourceRelations
  expect(await shown(platform.adminToken)).toEqual([{ ...provider, relation: 'viewer' }])
  expect(await shown(jim.token)).toEqual([])
})

test('deleting a client with the id of a user keeps the relations of the user', async () => {
  const kim = await makeUser('kim')
  await write(onRoot(kim.id, 'viewer'))
  const client = { id: kim.id, displayName: 'Not Kim' }
  expect((await platform.post('/v1/providers/mqtt/clients', client)).status).toBe(201)
  expect((await platform.delete(`/v1/providers/mqtt/clients/${kim.id}`)).status).toBe(204)
  expect((await may(kim.id, 'view')).body.result).toBe(true)
})

test('lists of relations go on from page to page, and may be limited to one subject', async () => {
  const query = { resourceType: 'organization', optionalResourceId: platform.organizationId }
  const all = (await platform.post('/v1/relations/query', query)).body
  const pages = []
  for (let next: string | undefined = '/v1/relations/query?limit=2'; next;) {
    const { body, headers }: { body: object[]; headers: Headers } = await platform.post(next, query)
    pages.push(...body)
    next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1]
  }
  expect(pages).toEqual(all)
  const { subjectId } = all.find(({ subjectType }: RelationTuple) => subjectType === 'user')
  const optionalSubjectFilter = { subjectType: 'user', optionalSubjectId: subjectId }
  const ofUser = (await platform.post('/v1/relations/query', { ...query, optionalSubjectFilter })).body
  expect(ofUser).toEqual(all.filter((tuple: RelationTuple) => tuple.subjectId === subjectId))
  expect((await platform.post('/v1/relations/query?cursor=nonsense', query)).status).toBe(400)
})

test('a limited token may query only relations, permissions and privileges that it covers', async () => {
  const userId = await admin()
  const make = { displayName: 'assets', privileges: ['asset_management'] }
  const { token } = (await platform.post('/v1/api-tokens', make)).body
  const postStatus = async (path: string, body: object) => (await platform.post(path, body, { token })).status
  const subject = { subjectType: 'user', subjectId: userId }
  const ofSubject = { optionalSubjectFilter: { subjectType: 'user', optionalSubjectId: userId } }
  const questions = (resourceType: string, resourceId: string): [string, object][] => [
    ['/v1/relations/query', { resourceType, ...ofSubject }],
    ['/v1/relations/query', { resourceType }],
    ['/v1/relations/query', { resourceType, optionalResourceId: resourceId }],
    ['/v1/permissions/query', { ...subject, permission: 'view', resourceType, resourceId }],
    ['/v1/permissions/check', { ...subject, permission: 'view', resourceType, resourceId }],
    ['/v1/permissions/explain', { ...subject, permission: 'view', resourceType, resourceId }],
    ['/v1/permissions/subjects', { subjectType: 'user', permission: 'view', resourceType, resourceId }],
    ['/v1/permissions/resources', { ...subject, permission: 'view', resourceType }],
  ]
  for (const [path, body] of [
    ...questions('provider', 'mqtt'),
    ...questions('organization', platform.organizationId),
    ['/v1/relations/query', { resourceType: 'tenant', ...ofSubject }],
    ['/v1/relations/query', { resourceType: 'environment', ...ofSubject }],
    ['/v1/relations/impact', onRoot(userId, 'owner')],
    ['/v1/privileges/query', { ...subject, privilege: 'provider_management' }],
    ['/v1/privileges/check', { ...subject, privilege: 'provider_management' }],
  ] as [string, object][])
    expect([path, body, await postStatus(path, body)]).toEqual([path, body, 403])
  expect(await postStatus('/v1/relations/query', { resourceType: 'asset', ...ofSubject })).toBe(200)
  expect(await postStatus('/v1/relations/query', { resourceType: 'asset' })).toBe(200)
  const resources = { ...subject, permission: 'view', resourceType: 'asset' }
  expect(await postStatus('/v1/permissions/resources', resources)).toBe(200)
  const privilege = { ...subject, privilege: 'asset_management' }
  expect(await postStatus('/v1/privileges/check', privilege)).toBe(200)
  expect(await postStatus('/v1/privileges/query', privilege)).toBe(200)
})
