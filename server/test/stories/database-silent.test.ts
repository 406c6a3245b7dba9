/** The network between server and database breaks silently: connections stay open and pass nothing. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { testDatabase, type TestDatabase } from '../harness/database.ts'
import { prepareOnboarding } from '../harness/onboarded-device.ts'
import { adminPassword, type Api, apiAt, logIn } from '../harness/platform.ts'
import { expectStoredOnce, publishNumbers, untilAllAcknowledge } from '../harness/publish-numbers.ts'
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts'
import { type SilentProxy, startSilentProxy } from '../harness/silent-proxy.ts'

const DEVICES = 4
/** The limit shows that /readyz has a timeout of its own: those of the database together take longer. */
const ANSWER_WITHIN_MS = 10_000

let database: TestDatabase
let proxy: SilentProxy
let server: ServerProcess
let api: Api
let token: string
let onboarding: Awaited<ReturnType<typeof prepareOnboarding>>
beforeAll(async () => {
  database = await testDatabase()
  proxy = await startSilentProxy(database.url)
  server = await startServerProcess({ DATABASE_URL: proxy.url })
  api = apiAt(server.endpoints.http)
  token = await logIn(api, 'admin@example.com', adminPassword)
  const { http, mqtt } = server.endpoints
  onboarding = await prepareOnboarding(api, token, http, Number(new URL(mqtt).port))
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const ready = () => api('GET', '/readyz')

test('ingest continues, /readyz answers 503 meanwhile, and nothing is lost or stored twice', async () => {
  const publishers: ReturnType<typeof publishNumbers>[] = []
  for (let index = 0; index < DEVICES; index++)
    publishers.push(
      publishNumbers(server.endpoints.mqtt, await onboarding.onboard(`silent-${index}`), index * 1_000_000),
    )
  for (let round = 0; round < 3; round++) {
    await untilAllAcknowledge(publishers)
    proxy.silence()
    // Without an idle connection the database does not count as unavailable, but messages wait.
    await vi.waitFor(async () => expect((await ready()).status).toBe(503), { interval: 50 })
    await untilAllAcknowledge(publishers)
  }
  await vi.waitFor(async () => expect((await ready()).status).toBe(200))
  for (const device of await Promise.all(publishers.map((each) => each.stop())))
    await expectStoredOnce(api, token, device)
})

test('jobs run again, including those that were running', async () => {
  const addJob = () => database.pool.query(`select graphile_worker.add_job('delete-expired')`)
  const jobs = async () => (await database.pool.query('select from graphile_worker.jobs')).rowCount
  await addJob()
  await vi.waitUntil(async () => (await jobs()) === 0, { interval: 50 })
  proxy.silence()
  for (let count = 0; count < 5; count++) await addJob()
  await vi.waitUntil(async () => (await jobs()) === 0, { interval: 100 })
  await vi.waitFor(async () => expect((await ready()).status).toBe(200))
})

test('while the database does not respond, /readyz and /healthz answer, and SIGTERM ends the server', async () => {
  const { back } = proxy.silenceAll()
  try {
    for (let round = 0; round < 3; round++) {
      const startedAtMs = performance.now()
      expect(await ready()).toMatchObject({ status: 503, body: { database: false, broker: true } })
      expect(performance.now() - startedAtMs).toBeLessThan(ANSWER_WITHIN_MS)
      expect((await api('GET', '/healthz')).status).toBe(200)
      await sleep(500)
    }
    await server.kill('SIGTERM')
  } finally {
    back()
  }
})
