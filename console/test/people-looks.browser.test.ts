import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { untilSettled, variants } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { findAxeProblems, findOverflow } from './harness/find-axe-problems.ts'
import { makePeople, type People } from './harness/people.ts'

describe.skipIf(!hasBrowser())('appearance of the pages about people and access', () => {
  let world: TestConsole
  let made: People
  beforeAll(async () => {
    world = await startConsole()
    made = await makePeople(world.api)
    await world.api('POST', '/v1/api-tokens', { displayName: 'Report', privileges: ['data_view'] })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.each(variants)('has no axe violations and no horizontal overflow: $name', async (variant) => {
    const { northId, lineId, groupId, viewerId } = made
    await using guarded = await world.openSignedIn('/people', variant)
    const found: Record<string, string[]> = {}
    const of = `/access/organization/${northId}`
    const paths = [
      '/people',
      `/people/${viewerId}`,
      `/people/${viewerId}?tab=relations`,
      `/people/${viewerId}?tab=privileges`,
      '/people/sign-in',
      '/people/groups',
      `/people/groups/${groupId}`,
      `/people/groups/${groupId}?tab=profile`,
      '/organizations',
      `/organizations/${lineId}`,
      `/organizations/${northId}?tab=relations`,
      '/access',
      '/access?type=asset',
      of,
      `${of}?tab=relations`,
      `${of}?tab=why&subject=${viewerId}`,
      `${of}?tab=why&subject=${viewerId}&permission=manage`,
      '/access/tenant/default',
      '/access/nothing/1',
      '/audit',
      '/api-tokens',
    ]
    for (const path of paths) {
      await guarded.open(path)
      await guarded.page.getByRole('heading').first().waitFor()
      await untilSettled(guarded.page)
      found[path] = [...(await findAxeProblems(guarded.page)), ...(await findOverflow(guarded.page))]
    }
    expect(Object.entries(found).filter(([, problems]) => problems.length > 0)).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test.each(variants)('dialogs and drawers have none either: $name', async (variant) => {
    const { viewerId } = made
    await using guarded = await world.openSignedIn('/people', variant)
    const { page } = guarded
    const found: Record<string, string[]> = {}
    const dialogs = [
      ['/people', 'Add person'],
      ['/people/groups', 'Create group'],
      ['/organizations', 'Create organization'],
      [`/people/${viewerId}?tab=relations`, 'Give access'],
      [`/people/${viewerId}?tab=relations`, 'Take away: viewer, North'],
      ['/audit?type=group', 'Changes: create, Group'],
      ['/api-tokens', 'Create API token'],
    ]
    for (const [path, button] of dialogs) {
      await guarded.open(path!)
      await page.getByRole('button', { name: button!, exact: true }).first().click()
      await page.getByRole('dialog').waitFor()
      await untilSettled(page)
      found[`${path} ${button}`] = [...(await findAxeProblems(page)), ...(await findOverflow(page))]
    }
    expect(Object.entries(found).filter(([, problems]) => problems.length > 0)).toEqual([])
    expect(guarded.problems).toEqual([])
  })
})
