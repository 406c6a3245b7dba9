import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const create = (body: object, options = {}) => platform.post('/v1/organizations', body, options)
const below = (parent: string, body: object = {}) => ({
  displayName: 'Branch',
  parentOrganizationId: parent,
  ...body,
})
const noRelations = { GroupToOrgRelations: [], UserToOrgRelations: [], OrgToResourceRelations: [] }
const noContacts = { notifications: { userGroups: [], users: [] } }

test('creates an organization below another, and returns the record', async () => {
  const privileges = ['asset_management', 'alarm_management']
  const parent = platform.organizationId
  const { status, body } = await create(below(parent, { description: 'North', privileges }))
  expect(status).toBe(201)
  expect(body).toEqual({
    id: body.id,
    parentOrganizationId: parent,
    displayName: 'Branch',
    description: 'North',
    contacts: noContacts,
    privileges,
    relations: noRelations,
  })
  expect((await platform.get(`/v1/organizations/${body.id}`)).body).toEqual(body)
  const [entry] = (await platform.get(`/v1/audit-log?resourceId=${body.id}`)).body
  const { relations: _, ...after } = body
  expect(entry).toMatchObject({ action: 'create', before: null, after })
})

test('without given privileges it has those of its parent', async () => {
  const privileges = ['organization_management', 'tree_management']
  const parent = await makeOrganization(platform, { privileges })
  expect((await create(below(parent))).body.privileges).toEqual(privileges)
})

test.each([
  ['no name', { displayName: undefined }],
  ['a name of blanks', { displayName: '  ' }],
  ['an unknown privilege', { privileges: ['world_management'] }],
  ['a privilege twice', { privileges: ['asset_management', 'asset_management'] }],
  ['contacts that are no lists', { contacts: { notifications: { users: 'me', userGroups: [] } } }],
  ['an unknown contact', { contacts: { notifications: { users: [crypto.randomUUID()], userGroups: [] } } }],
  [
    'an invalid relation',
    { relations: { UserToOrgRelations: [{ userId: crypto.randomUUID(), relation: 'x' }] } },
  ],
])('%s is refused', async (_what, fields) => {
  const { status, body } = await create(below(platform.organizationId, fields))
  expect([status, body.error]).toEqual([400, 'validation_error'])
})

test('privileges stay a subset of those above, down three organizations [docs/organizations#organizations]', async () => {
  const some = ['organization_management', 'alarm_management']
  const first = await makeOrganization(platform, { privileges: some })
  const tooMuch = await create(below(first, { privileges: [...some, 'user_management'] }))
  expect(tooMuch.body).toMatchObject({ error: 'validation_error' })
  expect(tooMuch.body.message).toContain('user_management')
  const second = await makeOrganization(platform, {
    parentOrganizationId: first,
    privileges: some,
  })
  const third = await makeOrganization(platform, { parentOrganizationId: second, privileges: [] })

  const reduced = await platform.patch(`/v1/organizations/${first}`, { privileges: some.slice(0, 1) })
  expect(reduced).toMatchObject({
    status: 409,
    body: {
      error: 'conflict',
      details: { organizations: [{ id: second, privileges: ['alarm_management'] }] },
    },
  })
  const raised = await platform.patch(`/v1/organizations/${third}`, { privileges: ['asset_management'] })
  expect(raised.status).toBe(400)

  for (const id of [second, first])
    expect((await platform.patch(`/v1/organizations/${id}`, { privileges: [] })).body.privileges).toEqual([])
})

test("privileges of a root organization are a subset of the tenant's, which cannot be reduced below them", async () => {
  const { token, organizationId } = await platform.makeTenant('limited')
  const privileges = ['organization_management', 'asset_management']
  expect((await platform.patch('/v1/tenants/limited', { privileges })).body).toMatchObject({
    error: 'conflict',
    details: { organizations: [{ id: organizationId }] },
  })
  await platform.patch(`/v1/organizations/${organizationId}`, { privileges: [] }, { token })
  expect((await platform.patch('/v1/tenants/limited', { privileges })).status).toBe(200)
  const patch = (wanted: string[]) =>
    platform.patch(`/v1/organizations/${organizationId}`, { privileges: wanted }, { token })
  expect((await patch(['alarm_management'])).body.error).toBe('validation_error')
  expect((await patch(privileges)).status).toBe(200)
})

test('one of two contradicting concurrent changes is refused', async () => {
  for (let round = 0; round < 5; round++) {
    const parent = await makeOrganization(platform, { privileges: ['organization_management'] })
    const answers = await Promise.all([
      platform.patch(`/v1/organizations/${parent}`, { privileges: [] }),
      create(below(parent, { privileges: ['organization_management'] })),
    ])
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
  }
})

test('creating an organization needs organization_management in its parent; a root organization needs an owner of the tenant', async () => {
  const mine = await makeOrganization(platform)
  const manager = await makeUser(platform)
  expect((await create(below(mine), { token: manager.token })).status).toBe(403)
  await relate(platform, `${manager.id} organization_manager organization:${mine}`)
  expect((await create(below(mine), { token: manager.token })).status).toBe(201)
  const above = await create(below(platform.organizationId), { token: manager.token })
  expect(above).toMatchObject({
    status: 403,
    body: {
      details: {
        required: { privilege: 'organization_management', organizationId: platform.organizationId },
      },
    },
  })
  const root = await create({ displayName: 'Root' }, { token: manager.token })
  expect(root).toMatchObject({ status: 403, body: { details: { required: { resourceType: 'tenant' } } } })
  expect((await create({ displayName: 'Root' })).body.parentOrganizationId).toBe(null)
  expect((await create(below(crypto.randomUUID()))).status).toBe(404)
})

test('managing an organization is not enough to give it privileges that only its parent can give', async () => {
  const mine = await makeOrganization(platform, { privileges: ['organization_management'] })
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} owner organization:${mine}`)
  const patch = (body: object) => platform.patch(`/v1/organizations/${mine}`, body, { token })
  expect((await patch({ displayName: 'Mine' })).body.displayName).toBe('Mine')
  expect((await patch({ privileges: ['organization_management', 'asset_management'] })).status).toBe(403)
  expect((await patch({ privileges: [] })).status).toBe(200)
})

test('relations on create follow the rules of relations: callers grant no more than they hold [docs/access#granting]', async () => {
  const parent = await makeOrganization(platform)
  const [manager, friend] = [await makeUser(platform), await makeUser(platform)]
  await relate(platform, `${manager.id} organization_manager organization:${parent}`)
  const give = (relation: string) =>
    create(below(parent, { relations: { UserToOrgRelations: [{ userId: friend.id, relation }] } }), {
      token: manager.token,
    })
  const refused = await give('owner')
  expect(refused).toMatchObject({ status: 403, body: { details: { required: { relation: 'owner' } } } })
  const { status, body } = await give('organization_manager')
  expect(status).toBe(201)
  expect((await platform.get(`/v1/organizations/${body.id}`, { token: friend.token })).status).toBe(200)
  const listed = await platform.get('/v1/organizations', { token: friend.token })
  expect(listed.body.map((one: { id: string }) => one.id)).toEqual([body.id])
})

test('groups and resources are related on create', async () => {
  const group = (await platform.post('/v1/groups', { displayName: 'Night shift' })).body
  const relations = {
    GroupToOrgRelations: [{ groupId: group.id, relation: 'viewer' }],
    OrgToResourceRelations: [{ resourceId: 'mqtt', resourceType: 'provider', relation: 'viewer' }],
  }
  const { body } = await create(below(platform.organizationId, { relations }))
  const query = (resourceType: string, id: string) =>
    platform.post('/v1/relations/query', { resourceType, optionalResourceId: id, optionalRelation: 'viewer' })
  expect((await query('organization', body.id)).body).toMatchObject([
    { subjectType: 'group', subjectId: group.id },
  ])
  expect((await query('provider', 'mqtt')).body).toMatchObject([
    { subjectType: 'organization', subjectId: body.id },
  ])
})

test('an organization shows its relations when it is created and when they change', async () => {
  const group = (await platform.post('/v1/groups', { displayName: 'Day shift' })).body.id
  const { id: user } = await makeUser(platform)
  const relations = {
    GroupToOrgRelations: [{ groupId: group, relation: 'viewer' }],
    UserToOrgRelations: [{ userId: user, relation: 'asset_manager' }],
    OrgToResourceRelations: [{ resourceId: 'mqtt', resourceType: 'provider', relation: 'viewer' }],
  }
  const { body } = await create(below(platform.organizationId, { relations }))
  expect(body.relations).toEqual(relations)
  const at = `/v1/organizations/${body.id}`
  const listed = async () =>
    (await platform.get('/v1/organizations')).body.find((one: { id: string }) => one.id === body.id)
  expect([(await platform.get(at)).body, await listed()]).toEqual([body, body])
  expect((await platform.patch(at, { description: 'x' })).body.relations).toEqual(relations)
  await relate(platform, `${user} member organization:${body.id}`)
  await platform.delete(`/v1/groups/${group}`)
  const after = {
    ...relations,
    GroupToOrgRelations: [],
    UserToOrgRelations: [...relations.UserToOrgRelations, { userId: user, relation: 'member' }],
  }
  for (const shown of [(await platform.get(at)).body, await listed()]) expect(shown.relations).toEqual(after)
})

test('it shows relations to resources only if the caller may view the resource', async () => {
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  const dashboards = await Promise.all(
    [1, 2].map(async () => {
      const body = { displayName: 'D', organizationId: platform.organizationId }
      return (await platform.post('/v1/dashboards', body)).body.id as string
    }),
  )
  for (const dashboard of dashboards)
    await relate(platform, `organization:${branch} manager dashboard:${dashboard}`)
  await relate(platform, `${id} organization_manager organization:${branch}`)
  await relate(platform, `${id} viewer dashboard:${dashboards[0]}`)
  const shown = async (caller: string) =>
    (await platform.get(`/v1/organizations/${branch}`, { token: caller })).body.relations
  expect((await shown(platform.adminToken)).OrgToResourceRelations).toHaveLength(2)
  const { OrgToResourceRelations, UserToOrgRelations } = await shown(token)
  expect(OrgToResourceRelations).toEqual([
    { resourceId: dashboards[0], resourceType: 'dashboard', relation: 'manager' },
  ])
  expect(UserToOrgRelations).toEqual([{ userId: id, relation: 'organization_manager' }])
  const limited = { displayName: 'CI', privileges: ['organization_management'] }
  const apiToken = (await platform.post('/v1/api-tokens', limited, { token })).body.token
  expect((await shown(apiToken)).OrgToResourceRelations).toEqual([])
})

test('it shows 100 relations of each kind, and says whether there are more', async () => {
  const branch = await makeOrganization(platform)
  const rows = Array.from({ length: 101 }, () => ({
    tenant_id: 'default',
    subject_type: 'user',
    subject_id: crypto.randomUUID(),
    resource_type: 'organization',
    resource_id: branch,
    relation: 'viewer',
  }))
  await platform.ctx.db.insertInto('relations').values(rows).execute()
  const { body } = await platform.get(`/v1/organizations/${branch}`)
  expect(body.relations.UserToOrgRelations).toHaveLength(100)
  expect(body.moreRelations).toEqual(['UserToOrgRelations'])
})

test('changes name, description and contacts; the parent never changes, which rules out cycles', async () => {
  const id = await makeOrganization(platform)
  const { id: user } = await makeUser(platform)
  const contacts = { notifications: { userGroups: [], users: [user] } }
  const changes = { displayName: 'New', description: null, contacts, parentOrganizationId: id }
  const { status, body } = await platform.patch(`/v1/organizations/${id}`, changes)
  expect(status).toBe(200)
  expect(body).toMatchObject({ displayName: 'New', contacts, parentOrganizationId: platform.organizationId })
  await platform.delete(`/v1/users/${user}`)
  expect((await platform.get(`/v1/organizations/${id}`)).body.contacts).toEqual(noContacts)
})

test('contacts may have users or user groups alone; a change of one list keeps the other', async () => {
  const { id: user } = await makeUser(platform)
  const group = (await platform.post('/v1/groups', { displayName: 'On call' })).body.id
  const users = { notifications: { users: [user] } }
  const made = await create(below(platform.organizationId, { contacts: users }))
  expect([made.status, made.body.contacts]).toEqual([
    201,
    { notifications: { users: [user], userGroups: [] } },
  ])
  const both = { notifications: { users: [user], userGroups: [group] } }
  const userGroups = { contacts: { notifications: { userGroups: [group] } } }
  expect((await platform.patch(`/v1/organizations/${made.body.id}`, userGroups)).body.contacts).toEqual(both)
  const template = await platform.post('/v1/organization-templates', { displayName: 'T', ...userGroups })
  expect(template.body.contacts).toEqual({ notifications: { users: [], userGroups: [group] } })
  const at = `/v1/organization-templates/${template.body.id}`
  expect((await platform.patch(at, { contacts: users })).body.contacts).toEqual(both)
  expect((await platform.patch(at, { contacts: {} })).status).toBe(400)
  await platform.delete(at)
})

test('an organization with objects cannot be deleted; the refusal counts them by type', async () => {
  const id = await makeOrganization(platform)
  const child = await makeOrganization(platform, { parentOrganizationId: id })
  const dashboard = (await platform.post('/v1/dashboards', { displayName: 'D', organizationId: id })).body
  expect(await platform.delete(`/v1/organizations/${id}`)).toMatchObject({
    status: 409,
    body: { details: { holds: { dashboard: 1, organization: 1 } } },
  })
  expect((await platform.delete(`/v1/organizations/${child}`)).status).toBe(204)
  await platform.delete(`/v1/dashboards/${dashboard.id}`)
  expect((await platform.delete(`/v1/organizations/${id}`)).status).toBe(204)
  expect((await platform.get(`/v1/organizations/${id}`)).status).toBe(404)
})

test('a tenant keeps a root organization', async () => {
  const { token, organizationId } = await platform.makeTenant('rooted')
  await platform.delete('/v1/providers/mqtt', { token })
  expect((await platform.delete(`/v1/organizations/${organizationId}`, { token })).status).toBe(409)
  await create({ displayName: 'Second' }, { token })
  expect((await platform.delete(`/v1/organizations/${organizationId}`, { token })).status).toBe(204)
})

test("the list has pages of what the caller may view; another tenant's list is empty", async () => {
  const { token } = await platform.makeTenant('listed')
  const first = (await create({ displayName: 'A' }, { token })).body
  await create({ displayName: 'B' }, { token })
  const page = await platform.get('/v1/organizations?limit=2', { token })
  expect(page.body).toHaveLength(2)
  const next = /<(.*)>; rel="next"/.exec(page.headers.get('link')!)![1]!
  expect((await platform.get(next, { token })).body).toHaveLength(1)
  expect((await platform.get(`/v1/organizations/${first.id}`)).status).toBe(404)
  expect((await platform.patch(`/v1/organizations/${first.id}`, { displayName: 'X' })).status).toBe(404)
  expect((await platform.delete(`/v1/organizations/${first.id}`)).status).toBe(404)
  const { token: nobody } = await makeUser(platform)
  expect((await platform.get('/v1/organizations', { token: nobody })).body).toEqual([])
})

test('a template supplies the fields that the body omits [docs/organizations#organization-templates]', async () => {
  const user = await makeUser(platform)
  const template = await platform.post('/v1/organization-templates', {
    displayName: 'Site',
    description: 'A site',
    privileges: ['asset_management'],
    contacts: { notifications: { userGroups: [], users: [user.id] } },
  })
  expect(template.status).toBe(201)
  const url = `/v1/organization-templates/${template.body.id}`
  const made = await create(below(platform.organizationId, { templateId: template.body.id }))
  expect(made.body).toMatchObject({
    displayName: 'Branch',
    description: 'A site',
    privileges: ['asset_management'],
    contacts: template.body.contacts,
  })
  const own = below(platform.organizationId, {
    templateId: template.body.id,
    privileges: [],
    description: null,
  })
  expect((await create(own)).body).toMatchObject({ privileges: [], description: null })
  const parent = await makeOrganization(platform, { privileges: ['organization_management'] })
  expect((await create(below(parent, { templateId: template.body.id }))).body.error).toBe('validation_error')

  expect((await platform.patch(url, { privileges: null })).body.privileges).toBe(null)
  expect((await platform.get('/v1/organization-templates')).body).toHaveLength(1)
  expect(
    (await platform.post('/v1/organization-templates', { displayName: 'x', privileges: ['y'] })).status,
  ).toBe(400)
  expect((await platform.delete(url)).status).toBe(204)
  expect((await platform.get(url)).status).toBe(404)
  const gone = below(platform.organizationId, { templateId: template.body.id })
  expect((await create(gone)).status).toBe(404)
})
