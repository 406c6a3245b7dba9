import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, startConsole, type TestConsole } from './harness/console.ts'
import { hostile, makeGroup, makeTarget } from './harness/onboarding.ts'

describe.skipIf(!hasBrowser())('routing targets', () => {
  let world: TestConsole
  beforeAll(async () => {
    world = await startConsole()
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test('the overview links to the first target, and the target to the first group', async () => {
    await using guarded = await world.openSignedIn('/')
    const { page } = guarded
    await page.getByRole('link', { name: 'Onboarding', exact: true }).click()
    await page.getByRole('navigation', { name: 'Onboarding' }).getByRole('link', { name: 'Targets' }).click()
    await page.getByRole('heading', { name: 'No target yet' }).waitFor()
    await page.getByRole('link', { name: 'Create target' }).first().click()
    const form = page.getByRole('form', { name: 'Create target' })
    await form.getByRole('button', { name: 'Create target' }).waitFor()
    await form.getByLabel('Name').fill(hostile)
    await form.getByRole('button', { name: 'Add broker' }).click()
    await form.getByLabel('Host').nth(1).fill('mqtt://wrong')
    await form.getByRole('button', { name: 'Create target' }).click()
    await form.getByText('must be a host name or an IP address').waitFor()
    await form.getByLabel('Host').nth(1).fill('second.example.com')
    await form.getByRole('button', { name: 'Create target' }).click()
    await page.getByRole('heading', { level: 1, name: hostile }).waitFor()
    await page.getByRole('heading', { name: 'No group points here yet' }).waitFor()
    const { items } = await world.api('GET', '/api/routing-targets')
    expect(items[0].brokers).toHaveLength(2)
    expect(new URL(items[0].provider_base_url).pathname).toBe('/v1/providers/mqtt')
    // The refused attempt and the next one created only one token.
    const tokens = await world.api('GET', '/v1/api-tokens')
    expect(
      tokens.filter(({ displayName }: { displayName: string }) => displayName.includes('img')),
    ).toHaveLength(1)
    await page.getByRole('link', { name: 'Create group' }).click()
    await page.getByRole('combobox', { name: 'Target' }).waitFor()
    await expect.poll(() => page.getByRole('combobox', { name: 'Target' }).inputValue()).toBe(hostile)
    expect(guarded.problems).toEqual([])
  })

  test('a changed address requires its secrets before it is saved, and an error keeps the input', async () => {
    const targetId = await makeTarget(world, 'Cluster')
    await using guarded = await world.openSignedIn(`/onboarding/targets/${targetId}`)
    const { page } = guarded
    await page.getByText('Another service').click()
    await page.getByText('enter both for it').waitFor()
    await page.getByLabel('Address of its API').fill('https://devices.example.com/api')
    await page.getByRole('button', { name: 'Save target' }).click()
    await expect.poll(() => page.getByText('The new address needs its own.').count()).toBe(2)
    await page.getByRole('textbox', { name: 'API key' }).fill('with spaces')
    await page.getByRole('button', { name: 'Save target' }).click()
    await page.getByText('Visible ASCII characters, without spaces.').waitFor()
    await page.getByRole('textbox', { name: 'API key' }).fill('new-key')
    await page.getByRole('button', { name: 'Make one' }).click()
    await page.getByLabel('Address of its API').fill('ftp://devices.example.com')
    await page.getByRole('button', { name: 'Save target' }).click()
    await page.getByText('must be an http or https URL').waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: 'API key' }).inputValue()).toBe('new-key')
    await page.getByLabel('Address of its API').fill('https://devices.example.com/api')
    await page.getByRole('button', { name: 'Save target' }).click()
    await page.getByText('Saved').waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: 'API key' }).inputValue()).toBe('')
    // A secret may stay unchanged if the address does.
    await page.getByLabel('Name').fill('Cluster 2')
    await page.getByRole('button', { name: 'Save target' }).click()
    await page.getByRole('heading', { level: 1, name: 'Cluster 2' }).waitFor()
    expect(guarded.problems).toEqual([])
  })

  test('a used target lists its groups, and an unused one is deleted after its name was typed', async () => {
    const targetId = await makeTarget(world, 'Used')
    const groupId = await makeGroup(world, targetId, { name: hostile })
    await using guarded = await world.openSignedIn(`/onboarding/targets/${targetId}`)
    const { page } = guarded
    await page.getByRole('tab', { name: 'Groups 1' }).waitFor()
    await page.getByRole('button', { name: 'Delete target' }).click()
    await page.getByRole('dialog').getByText('One group points to it').waitFor()
    await page.getByRole('dialog').getByRole('link', { name: hostile }).click()
    await page.getByRole('heading', { level: 1, name: hostile }).waitFor()
    await world.api('DELETE', `/api/enrollment-groups/${groupId}`)
    await guarded.open(`/onboarding/targets/${targetId}`)
    await page.getByRole('tab', { name: 'Groups 0' }).waitFor()
    await page.getByRole('button', { name: 'Delete target' }).click()
    await page.getByRole('dialog').getByRole('textbox').fill('Used')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete target' }).click()
    await page.getByRole('toolbar', { name: 'Routing targets' }).waitFor()
    await expect.poll(() => page.getByRole('row', { name: 'Used' }).count()).toBe(0)
    expect(guarded.problems).toEqual([])
  })

  test('a user without the privilege sees the reason', async () => {
    await using guarded = await world.openSignedIn('/')
    await guarded.page.route('**/api/routing-targets?*', (route) =>
      route.fulfill({ status: 403, json: { error: 'forbidden', message: 'You need provider_management.' } }),
    )
    await guarded.open('/onboarding/targets')
    await guarded.page.getByRole('heading', { name: 'You may not see this' }).waitFor()
    await guarded.page.getByText('You need provider_management.').waitFor()
    await expect.poll(() => guarded.page.getByRole('link', { name: 'Create target' }).count()).toBe(0)
    expect(guarded.problems).toEqual([])
  })
})
