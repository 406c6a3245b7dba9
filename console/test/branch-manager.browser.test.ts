/** A manager of one branch creates things there, whatever else of the installation is shared with that person. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adminPassword } from '../../server/test/harness/first-administrator.ts'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { createBy, creationForms, sharedModel } from './harness/creations.ts'
import { chooseFound } from './harness/editor.ts'
import { email, makePeople, openAs, type People } from './harness/people.ts'

/** More than a field offers at once. */
const BRANCHES = 60

describe.skipIf(!hasBrowser())('a manager of a branch', () => {
  let world: TestConsole
  let made: People
  beforeAll(async () => {
    world = await startConsole()
    made = await makePeople(world.api)
    const { rootId, northId, managerId } = made
    await world.api('POST', '/v1/models', {
      displayName: sharedModel,
      organizationId: rootId,
      definition: {
        '@context': 'dtmi:dtdl:context;3',
        '@id': 'dtmi:com:example:Shared;1',
        '@type': 'Interface',
        contents: [{ '@type': 'Telemetry', name: 'temperature', schema: 'double' }],
      },
    })
    const relate = (subjectId: string, relation: string, resourceType: string, resourceId: string) =>
      world.api('POST', '/v1/relations', {
        subjectType: 'user',
        subjectId,
        relation,
        resourceType,
        resourceId,
      })
    await relate(managerId, 'viewer', 'model', 'dtmi:com:example:Shared;1')
    await relate(managerId, 'viewer', 'provider', 'mqtt')
    const rita = { displayName: 'Rita Reader', email: email('rita'), password: adminPassword }
    const { id: readerId } = await world.api('POST', '/v1/users', rita)
    await relate(readerId, 'viewer', 'organization', rootId)
    await relate(readerId, 'manager', 'organization', northId)
    for (let index = 0; index < BRANCHES; index++)
      await world.api('POST', '/v1/organizations', {
        displayName: `Branch ${index}`,
        parentOrganizationId: rootId,
      })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.each([
    ['mara', 'who sees the branch and what is shared with her'],
    ['rita', 'who sees everything'],
  ])('%s, %s, creates one of each in the branch', async (person) => {
    await using guarded = await openAs(world, person, '/')
    const name = `Thing of ${person}`
    const counts = new Map<string, number>()
    for (const creation of creationForms) {
      const { list, route, button } = creation
      await guarded.open(list)
      await createBy(guarded.page, creation, name)
      counts.set(route, (counts.get(route) ?? 0) + 1)
      const readPlaces = async () => {
        const things = await world.api('GET', `${route}?search=${encodeURIComponent(name)}`)
        return things.map(({ organizationId }: { organizationId: string }) => organizationId)
      }
      await expect
        .poll(readPlaces, { message: button })
        .toEqual(Array.from({ length: counts.get(route)! }, () => made.northId))
    }
    expect(guarded.problems).toEqual([])
  })

  test('a form that is sent before its organization is known waits for it', async () => {
    await using guarded = await openAs(world, 'mara', '/')
    const { page } = guarded
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const place = '**/v1/privileges/query?limit=1'
    await page.route(place, (route) => released.then(() => route.continue()))
    const asked = page.waitForRequest(place)
    await guarded.open('/notifications/new')
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Early')
    await asked
    await page.getByRole('button', { name: 'Create notification', exact: true }).click()
    release()
    await page.getByRole('heading', { name: 'Early', level: 1 }).waitFor()
    const [notification] = await world.api('GET', '/v1/notifications?search=Early')
    expect(notification.organizationId).toBe(made.northId)
    expect(guarded.problems).toEqual([])
  })

  test('an organization is searched on the server, and one without the privilege is named before the try', async () => {
    await using guarded = await openAs(world, 'rita', '/dashboards')
    const { page } = guarded
    await page.getByRole('button', { name: 'Create dashboard' }).first().click()
    const field = page.getByRole('dialog').getByRole('combobox', { name: 'Organization' })
    await expect.poll(() => field.inputValue()).toBe('North')
    await chooseFound(field, `Branch ${BRANCHES - 1}`)
    await page.getByText('You need the privilege “Manage dashboards” in this organization.').waitFor()
    await chooseFound(field, 'North')
    await page.getByText('You need the privilege').waitFor({ state: 'detached' })
    expect(guarded.problems).toEqual([])
  })
})
