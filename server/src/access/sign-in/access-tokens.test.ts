import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../test/harness/database.ts'
import { newId } from '../../lib/ids.ts'
import { createSealer } from '../../lib/seal.ts'
import { ACCESS_TOKEN_SECONDS, type AccessTokens, createAccessTokens } from './access-tokens.ts'

let database: TestDatabase
let tokens: AccessTokens
beforeAll(async () => {
  database = await testDatabase()
  tokens = await createAccessTokens(database.db, createSealer([randomBytes(32)]))
})
afterEach(() => void vi.useRealTimers())
afterAll(() => database[Symbol.asyncDispose]())

const claims = { userId: newId(), tenantId: 'default', familyId: newId() }
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

test('an expired token is refused, whether or not it was verified before', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const [known, unknown] = [await tokens.issue(claims), await tokens.issue(claims)]
  expect(await tokens.verify(known)).toMatchObject(claims)
  pass(ACCESS_TOKEN_SECONDS - 10)
  expect(await tokens.verify(known)).toMatchObject(claims)
  pass(20)
  expect(await tokens.verify(known)).toBeUndefined()
  expect(await tokens.verify(unknown)).toBeUndefined()
})

test('a token for one purpose is accepted for no other, and expires', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const token = await tokens.issueFor('realtime', { sub: 'user' }, 60)
  expect(await tokens.verifyFor('realtime', token)).toMatchObject({ sub: 'user' })
  expect(await tokens.verifyFor('device', token)).toBeUndefined()
  expect(await tokens.verify(token)).toBeUndefined()
  pass(61)
  expect(await tokens.verifyFor('realtime', token)).toBeUndefined()
})
