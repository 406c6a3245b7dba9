import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { untilSettled } from './harness/browser.mjs'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { findAppearanceProblems, findAppearanceProblemsOf } from './harness/find-appearance-problems.ts'
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

  test('has no axe violations and no horizontal overflow', async () => {
    const { northId, lineId, groupId, viewerId } = made
    await using guarded = await world.openSignedIn('/people')
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
    expect(await findAppearanceProblemsOf(guarded, paths)).toEqual([])
    expect(guarded.problems).toEqual([])
  })

  test('dialogs and drawers have none either', async () => {
    const { viewerId } = made
    await using guarded = await world.openSignedIn('/people')
    const { page } = guarded
    const found: string[] = []
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
      found.push(...(await findAppearanceProblems(page, `${path} ${button}`)))
    }
    expect(found).toEqual([])
    expect(guarded.problems).toEqual([])
  })
})
