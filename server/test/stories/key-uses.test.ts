/** Two servers on one database: what one records of a settings request, the other shows. [docs/onboarding#last-use-of-a-key] */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { deriveKey } from '../../src/onboarding/bootstrap-keys/derive-key.ts'
import { testDatabase } from '../harness/database.ts'
import { fetchSettings, prepareOnboarding } from '../harness/onboarded-device.ts'
import { adminPassword, apiAt, logIn } from '../harness/platform.ts'
import { startServerProcess } from '../harness/server-process.ts'

test('the record of a request reaches another server within seconds, and before an orderly stop has ended', async () => {
  await using database = await testDatabase()
  const environment = {
    DATABASE_URL: database.url,
    GANGWAY_SECRET_KEY: randomBytes(32).toString('base64'),
  }
  await using serving = await startServerProcess(environment)
  await using reading = await startServerProcess(environment)
  const api = apiAt(serving.endpoints.http)
  const token = await logIn(api, 'admin@example.com', adminPassword)
  const onboarding = await prepareOnboarding(api, token, serving.endpoints.http, 1)
  await onboarding.onboard('pump-7')
  const readKind = async () => {
    const path = `/api/enrollment-groups/${onboarding.groupId}/devices`
    const { body } = await apiAt(reading.endpoints.http)('GET', path, undefined, { token })
    return body.items[0].last_key_kind
  }
  await expect.poll(readKind).toBe('bootstrap')

  const key = deriveKey(Buffer.from(onboarding.bootstrapKey, 'base64'), 'pump-7')
  await fetchSettings(api, 'pump-7', key)
  expect(await serving.kill('SIGTERM')).toBe(0)
  expect(await readKind()).toBe('derived')
})
