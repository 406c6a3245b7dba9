import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findFreePort } from '../../server/test/harness/free-port.ts'
import { hasBrowser, startConsole } from './harness/console.ts'

const run = promisify(execFile)

test.skipIf(!hasBrowser())('the console onboards where devices have a port of their own', async () => {
  const port = await findFreePort()
  await using world = await startConsole({ GANGWAY_ONBOARDING_PORT: `${port}` })
  await using guarded = await world.openSignedIn('/onboarding/first-device')
  const { page, context } = guarded
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Prepare the device' }).click()
  const command = page.getByRole('tabpanel').locator('pre').first()
  await expect.poll(() => command.textContent()).toContain(`:${port}/get_settings`)
  const { stdout } = await run('sh', ['-c', (await command.textContent())!])
  expect(JSON.parse(stdout)).toMatchObject({ user: 'device-0001' })
  const doctor = page.getByRole('region', { name: 'Doctor, live' })
  await doctor.getByText('served').waitFor()
  expect((await fetch(`${world.url}/get_settings`)).status).toBe(404)

  const groupId = new URL(page.url()).searchParams.get('group')
  await world.api('PUT', `/api/enrollment-groups/${groupId}`, { status: 'disabled' })
  await expect(run('sh', ['-c', `${await command.textContent()} --fail`])).rejects.toThrow()
  await doctor.getByRole('button', { name: 'Enable the group' }).click()
  await expect
    .poll(async () => (await world.api('GET', `/api/enrollment-groups/${groupId}`)).status)
    .toBe('enabled')

  await guarded.open('/onboarding/trace')
  await page
    .getByRole('row', { name: /device-0001/ })
    .first()
    .waitFor()
  expect(guarded.problems).toEqual([])
})
