/** A viewer, a manager of one branch and an administrator on every page of the console. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adminPassword } from '../../server/test/harness/first-administrator.ts'
import { untilSettled } from './harness/browser.mjs'
import {
  administrator,
  type GuardedPage,
  hasBrowser,
  startConsole,
  type TestConsole,
} from './harness/console.ts'
import { creationButtons } from './harness/creation-buttons.ts'
import { findOverflow } from './harness/find-axe-problems.ts'
import { type Api, makeApi } from './harness/fixtures.mjs'
import { type Made, makeObjects } from './harness/objects.ts'
import { type Guarded, makeGuarded, makeOnboarding } from './harness/objects-guarded.ts'
import { email, makePeople, makePerson, openAs } from './harness/people.ts'
import { findUnexplained, readShown } from './harness/shown.ts'

/** The pages of the console that name no object. */
const folder = join(import.meta.dirname, '../src/routes')
const pages = readdirSync(folder)
  .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(/ path: '([^'$]+)'/g)])
  .map(([, path]) => path!)

const broken = /This could not be loaded|Something went wrong in this page/
const readOnly = /^You may (?:look at|not change) /

/** A viewer, a manager of one branch, and the administrator. */
const people = ['vic', 'mara', 'administrator']
/**
 * How many of the objects that are no resource types each of them sees, and those who hold in the root organization one
 * of the privileges that the API asks for there.
 */
const seenGuarded = { vic: 0, mara: 2, administrator: 8, olga: 5, otto: 3 }
const privileged = { olga: 'provider_client_manager', otto: 'provider_manager' }
const credentials = (name: string) =>
  name === 'administrator' ? administrator : { email: email(name), password: adminPassword }

describe.skipIf(!hasBrowser())('every page, as everybody', () => {
  let world: TestConsole
  let objects: Made[]
  let guardedObjects: Guarded[]
  beforeAll(async () => {
    world = await startConsole()
    const { rootId, northId, southId } = await makePeople(world.api)
    objects = (
      await Promise.all([
        makeObjects(world.api, rootId, 'Root'),
        makeObjects(world.api, northId, 'North'),
        makeObjects(world.api, southId, 'South'),
      ])
    ).flat()
    for (const [name, relation] of Object.entries(privileged))
      await makePerson(world.api, name, `${relation} ${rootId}`)
    guardedObjects = [
      ...(await makeGuarded(world.api, northId, 'North')),
      ...(await makeGuarded(world.api, southId, 'South')),
      ...(await makeOnboarding(world)),
    ]
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.each(people)('lists and objects show %s what the permission checks say', async (name) => {
    await using guarded = await openPerson(name)
    const permitted = await readPermitted(await makeApi(world.url, credentials(name)))
    expect(permitted.view.size).toBeGreaterThan(0)
    expect(permitted.view.size === objects.length).toBe(name === 'administrator')
    const isListed = await readLists(guarded, objects, ({ id }) => permitted.view.has(id))
    const found = new Map<string, { isListed: boolean; opens: boolean; isReadOnly?: boolean }>()
    for (const { name: object, page, manage, manageButton, id } of objects) {
      await guarded.open(page)
      const opens = (await readShown(guarded.page, object)) === 'object'
      found.set(object, { isListed: isListed.get(object)!, opens })
      if (manage === undefined || !permitted.view.has(id)) continue
      if (manage !== page) await guarded.open(manage)
      await guarded.page.getByRole('heading').first().waitFor()
      await untilSettled(guarded.page)
      const isReadOnly = !permitted.manage.has(id)
      const saysReadOnly = async () =>
        manageButton === undefined
          ? (await guarded.page.getByText(readOnly).count()) > 0
          : guarded.page.getByRole('button', { name: manageButton, exact: true }).isDisabled()
      await expect.poll(saysReadOnly, { message: object }).toBe(isReadOnly)
      found.get(object)!.isReadOnly = isReadOnly
    }
    const expected = objects.map(({ name: object, id, manage }) => {
      const mayView = permitted.view.has(id)
      const isReadOnly = manage === undefined || !mayView ? {} : { isReadOnly: !permitted.manage.has(id) }
      return [object, { isListed: mayView, opens: mayView, ...isReadOnly }]
    })
    expect([...found]).toEqual(expected)
    expect(guarded.problems).toEqual([])
  })

  test.each(Object.entries(seenGuarded))(
    'simulations, webhooks and objects of onboarding show %s what the API answers',
    async (name, seen) => {
      await using guarded = await openPerson(name)
      const { page } = guarded
      const api = await makeApi(world.url, credentials(name))
      const answers = new Map<Guarded, Answered>()
      for (const object of guardedObjects) answers.set(object, await askAbout(api, object))
      expect([...answers.values()].filter(({ shows }) => shows === 'object')).toHaveLength(seen)
      const listed = guardedObjects.filter(({ list }) => list !== undefined)
      const isListed = await readLists(guarded, listed, (one) => answers.get(one)!.shows === 'object')
      const found: Record<string, unknown> = {}
      const expected: Record<string, unknown> = {}
      for (const object of guardedObjects) {
        const { shows, mayChange } = answers.get(object)!
        await guarded.open(object.page)
        const shown = await readShown(page, object.name)
        await untilSettled(page)
        const canClick = (button: string) =>
          page.getByRole('button', { name: button, exact: true, disabled: false }).count()
        found[object.page] = {
          isListed: isListed.get(object.name),
          shows: shown,
          titles: await page.getByRole('heading', { level: 1 }).count(),
          buttons: await Promise.all(object.buttons.map(canClick)),
          problems: await findUnexplained(page),
        }
        expected[object.page] = {
          isListed: shows === 'object',
          shows,
          titles: 1,
          buttons: object.buttons.map(() => Number(mayChange)),
          problems: [],
        }
      }
      expect(found).toEqual(expected)
      expect(guarded.problems).toEqual([])
    },
  )

  test.each(people)('%s may create what the privilege checks say, and reads why not', async (name) => {
    await using guarded = await openPerson(name)
    const { page } = guarded
    const api = await makeApi(world.url, credentials(name))
    const { id: subjectId } = await api('GET', '/v1/auth/me')
    for (const { list, button, privilege, form } of creationButtons) {
      const { result } = await api('POST', '/v1/privileges/check', {
        subjectType: 'user',
        subjectId,
        privilege,
      })
      await guarded.open(list)
      const create = page.getByRole('button', { name: button, exact: true }).first()
      await create.waitFor()
      await untilSettled(page)
      const why = page.getByRole('button', { name: 'Why?' })
      const readButton = async () => ({
        canClick: await create.isEnabled(),
        saysWhy: (await why.count()) > 0,
      })
      await expect.poll(readButton, { message: button }).toEqual({ canClick: result, saysWhy: !result })
      if (form === undefined) continue
      await guarded.open(form)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await untilSettled(page)
      const refusal = page.getByRole('heading', { name: 'You may not create this' })
      await expect.poll(() => refusal.count(), { message: form }).toBe(result ? 0 : 1)
    }
    expect(guarded.problems).toEqual([])
  })

  test.each(people)(
    '%s opens forms of onboarding with the privilege in the root organization',
    async (name) => {
      await using guarded = await openPerson(name)
      const { page } = guarded
      for (const [path, title] of [
        ['/onboarding/targets/new', /target/],
        ['/onboarding/groups/new', /group/],
      ] as const) {
        await guarded.open(path)
        const isOpen = name === 'administrator'
        await page
          .getByRole('heading', { level: 1, name: isOpen ? title : 'You may not create this' })
          .waitFor()
        if (isOpen) continue
        await page.getByText(/^You need the privilege .* in the root organization\.$/).waitFor()
        await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).count()).toBe(0)
      }
      expect(guarded.problems).toEqual([])
    },
  )

  test.each(people)('%s opens each page, or reads why not', async (name) => {
    expect(pages.length).toBeGreaterThan(40)
    await using guarded = await openPerson(name)
    const found: Record<string, string[]> = {}
    for (const path of pages) {
      await guarded.open(path)
      await guarded.page.getByRole('heading').first().waitFor()
      await untilSettled(guarded.page)
      found[path] = [
        ...(await guarded.page.getByText(broken).allTextContents()),
        ...(await findOverflow(guarded.page)),
        ...(await findUnexplained(guarded.page)),
      ]
    }
    expect(Object.entries(found).filter(([, problems]) => problems.length > 0)).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  const openPerson = (name: string) =>
    name === 'administrator' ? world.openSignedIn('/') : openAs(world, name, '/')

  /** The ids of the objects on which the user has the permissions, as the API says. */
  async function readPermitted(api: Api) {
    const { id: subjectId } = await api('GET', '/v1/auth/me')
    const types = new Set(objects.map(({ resourceType }) => resourceType))
    const read = async (permission: string): Promise<Set<string>> => {
      const ids: string[][] = await Promise.all(
        [...types].map((resourceType) =>
          api('POST', '/v1/permissions/resources', {
            subjectType: 'user',
            subjectId,
            resourceType,
            permission,
          }),
        ),
      )
      const all = new Set(ids.flat())
      return new Set(objects.map(({ id }) => id).filter((id) => all.has(id)))
    }
    return { view: await read('view'), manage: await read('manage') }
  }

  /** Which objects stand in their lists, by name. */
  async function readLists<T extends { name: string; list?: string }>(
    { page, open }: GuardedPage,
    all: T[],
    isExpected: (one: T) => boolean,
  ): Promise<Map<string, boolean>> {
    const texts = new Map<string, string[]>()
    for (const list of new Set(all.map((one) => one.list!))) {
      await open(list)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await untilSettled(page)
      const names = page.getByRole('gridcell').or(page.getByRole('treeitem')).locator('bdi')
      const wanted = all.filter((one) => one.list === list && isExpected(one))
      const readMissing = async () => {
        texts.set(list, await names.allTextContents())
        return wanted.map(({ name }) => name).filter((name) => !texts.get(list)!.includes(name))
      }
      await expect.poll(readMissing, { message: list }).toEqual([])
    }
    return new Map(all.map(({ name, list }) => [name, texts.get(list!)!.includes(name)]))
  }
})

interface Answered {
  shows: Awaited<ReturnType<typeof readShown>>
  mayChange: boolean
}

/** Asks the API whether the signed-in person may view and change the object. */
async function askAbout(api: Api, { route, change }: Guarded): Promise<Answered> {
  const readStatus = (method: string, path: string, body?: object): Promise<number> =>
    api(method, path, body).then(
      () => 200,
      ({ status }) => status,
    )
  const shows = ({ 200: 'object', 403: 'refused', 404: 'missing' } as const)[await readStatus('GET', route)]
  if (shows === undefined) throw new Error(`${route} was answered with something else`)
  const mayChange = shows === 'object' && (await readStatus(...change)) !== 403
  return { shows, mayChange }
}
