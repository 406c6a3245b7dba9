/** A viewer, a manager of one branch and an administrator on every page of the console. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
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
import { findOverflow } from './harness/find-axe-problems.ts'
import { type Api, makeApi } from './harness/fixtures.mjs'
import { type Made, makeObjects } from './harness/objects.ts'
import { email, makePeople, openAs } from './harness/people.ts'

/** The pages of the console that name no object. */
const folder = join(import.meta.dirname, '../src/routes')
const pages = readdirSync(folder)
  .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(/ path: '([^'$]+)'/g)])
  .map(([, path]) => path!)

const refused = 'You may not see this'
const missing = 'This does not exist, or you may not see it'
const broken = /This could not be loaded|Something went wrong in this page/
const readOnly = /^You may (?:look at|not change) /

/** A viewer, a manager of one branch, and the administrator. */
const people = ['vic', 'mara', 'administrator']
const credentials = (name: string) =>
  name === 'administrator' ? administrator : { email: email(name), password: adminPassword }

/** Buttons that create something, by the privilege that the API asks for, and the page of the form. */
const creations: { list: string; button: string; privilege: string; form?: string }[] = [
  { list: '/rules', button: 'Create rule', privilege: 'alarm_management', form: '/rules/new' },
  {
    list: '/notifications',
    button: 'Create notification',
    privilege: 'notification_management',
    form: '/notifications/new',
  },
  {
    list: '/contact-groups',
    button: 'Create contact group',
    privilege: 'contact_group_management',
    form: '/contact-groups/new',
  },
  {
    list: '/firmware/releases',
    button: 'Create release',
    privilege: 'firmware_management',
    form: '/firmware/releases/new',
  },
  {
    list: '/firmware/templates',
    button: 'Create template',
    privilege: 'firmware_management',
    form: '/firmware/templates/new',
  },
  {
    list: '/firmware',
    button: 'New deployment',
    privilege: 'firmware_management',
    form: '/firmware/deployments/new',
  },
  {
    list: '/simulations',
    button: 'Create simulation',
    privilege: 'provider_client_management',
  },
  { list: '/devices', button: 'Create device', privilege: 'provider_client_management' },
  { list: '/assets', button: 'Create asset', privilege: 'asset_management' },
  { list: '/assets', button: 'Create node', privilege: 'tree_management' },
  { list: '/models', button: 'Create model', privilege: 'model_management', form: '/models/create' },
  { list: '/dashboards', button: 'Create dashboard', privilege: 'dashboard_management' },
  { list: '/files', button: 'Upload files', privilege: 'resource_item_management' },
  { list: '/people', button: 'Add person', privilege: 'user_management' },
  { list: '/people/groups', button: 'Create group', privilege: 'user_management' },
  { list: '/organizations', button: 'Create organization', privilege: 'organization_management' },
]

describe.skipIf(!hasBrowser())('every page, as everybody', () => {
  let world: TestConsole
  let objects: Made[]
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
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.each(people)('lists and objects show %s what the permission checks say', async (name) => {
    await using guarded = await openPerson(name)
    const permitted = await readPermitted(await makeApi(world.url, credentials(name)))
    expect(permitted.view.size).toBeGreaterThan(0)
    expect(permitted.view.size === objects.length).toBe(name === 'administrator')
    const found = await readLists(guarded, permitted.view)
    for (const { name: object, page, manage, manageButton, id } of objects) {
      await guarded.open(page)
      found.get(object)!.opens = await opens(guarded.page, object)
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

  test.each(people)('%s may create what the privilege checks say, and reads why not', async (name) => {
    await using guarded = await openPerson(name)
    const { page } = guarded
    const api = await makeApi(world.url, credentials(name))
    const { id: subjectId } = await api('GET', '/v1/auth/me')
    const found: Record<string, unknown> = {}
    const expected: Record<string, unknown> = {}
    for (const { list, button, privilege, form } of creations) {
      const { result } = await api('POST', '/v1/privileges/check', {
        subjectType: 'user',
        subjectId,
        privilege,
      })
      expected[button] = { canClick: result, saysWhy: !result, ...(form && { opensForm: result }) }
      await guarded.open(list)
      const create = page.getByRole('button', { name: button, exact: true }).first()
      await create.waitFor()
      await untilSettled(page)
      const saysWhy = (await page.getByRole('button', { name: 'Why?' }).count()) > 0
      found[button] = { canClick: await create.isEnabled(), saysWhy }
      if (form === undefined) continue
      await guarded.open(form)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await untilSettled(page)
      const isRefused = (await page.getByRole('heading', { name: 'You may not create this' }).count()) > 0
      found[button] = { ...(found[button] as object), opensForm: !isRefused }
    }
    expect(found).toEqual(expected)
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
        expect(await page.getByRole('textbox', { name: 'Name' }).count()).toBe(0)
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

  /** Which objects stand in the lists of their types, by name. */
  async function readLists({ page, open }: GuardedPage, permitted: ReadonlySet<string>) {
    const found = new Map<string, { isListed: boolean; opens?: boolean; isReadOnly?: boolean }>()
    const texts = new Map<string, string[]>()
    for (const list of new Set(objects.map((one) => one.list))) {
      await open(list)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await untilSettled(page)
      const names = page.getByRole('gridcell').or(page.getByRole('treeitem')).locator('bdi')
      const wanted = objects.filter((one) => one.list === list && permitted.has(one.id))
      const readMissing = async () => {
        texts.set(list, await names.allTextContents())
        return wanted.map(({ name }) => name).filter((name) => !texts.get(list)!.includes(name))
      }
      await expect.poll(readMissing, { message: list }).toEqual([])
    }
    for (const { name, list } of objects) found.set(name, { isListed: texts.get(list)!.includes(name) })
    return found
  }
})

/** @returns whether a page shows its object; a page that does neither that nor a refusal ends the test */
async function opens(page: Page, name: string): Promise<boolean> {
  const shown = page.getByRole('heading').filter({ hasText: name })
  const closed = page.getByRole('heading', { name: refused }).or(page.getByRole('heading', { name: missing }))
  await shown.or(closed).first().waitFor()
  return (await closed.count()) === 0
}

/** A refusal without its code and its request id. */
async function findUnexplained(page: Page): Promise<string[]> {
  if ((await page.getByRole('heading', { name: refused }).count()) === 0) return []
  const text = (await page.getByRole('alert').allTextContents()).join(' ')
  return /forbidden/.test(text) && /Request id/.test(text) ? [] : [`a refusal without its reason: ${text}`]
}
