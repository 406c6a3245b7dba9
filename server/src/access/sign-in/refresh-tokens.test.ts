import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser } from '../../../test/harness/users.ts'
import { rotateRefreshToken, startSignIn } from './refresh-tokens.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterEach(() => void vi.useRealTimers())
afterAll(() => platform[Symbol.asyncDispose]())

const DAY_MS = 86_400_000
const start = async (userId: string) =>
  (await startSignIn(platform.ctx.db, { userId, network: '192.0.2.1' })).refreshToken
const rotate = (token: string) => rotateRefreshToken(platform.ctx.db, token)

test('a refresh token is valid for 30 days after its last use', async () => {
  const { id } = await makeUser(platform)
  vi.useFakeTimers({ toFake: ['Date'] })
  const began = Date.now()
  const [used, forgotten] = [await start(id), await start(id)]
  vi.setSystemTime(began + 30 * DAY_MS - 60_000)
  const renewed = (await rotate(used))!.refreshToken
  vi.setSystemTime(began + 30 * DAY_MS + 60_000)
  expect(await rotate(forgotten)).toBeUndefined()
  expect((await rotate(renewed))?.userId).toBe(id)
})

// Disabling ends all sign-ins as well; this covers a sign-in at the same moment.
test('a refresh token of a disabled user is refused, even if the sign-in has not ended', async () => {
  const { id } = await makeUser(platform)
  const token = await start(id)
  const setDisabled = (disabled_at: Date | null) =>
    platform.ctx.db.updateTable('users').set({ disabled_at }).where('id', '=', id).execute()
  await setDisabled(new Date())
  expect(await rotate(token)).toBeUndefined()
  await setDisabled(null)
  expect((await rotate(token))?.userId).toBe(id)
})
