/** The database is killed and stopped under load: no PUBACK meanwhile, bounded memory, and automatic recovery. */
import { randomBytes } from 'node:crypto'
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createSealer } from '../../src/lib/seal.ts'
import { connectionUrl } from '../../src/database/embedded/connection.ts'
import { startEmbeddedDatabase } from '../../src/database/embedded/start.ts'
import { testLog } from '../harness/log.ts'
import { prepareOnboarding } from '../harness/onboarded-device.ts'
import { adminPassword, apiAt, logIn } from '../harness/platform.ts'
import { expectStoredOnce, publishNumbers, untilAllAcknowledge } from '../harness/publish-numbers.ts'
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts'

const DEVICES = 4
/** An idle server uses about 150 MB. */
const MOST_RESIDENT_MB = 700

async function startPublishers(server: ServerProcess) {
  const api = apiAt(server.endpoints.http)
  const token = await logIn(api, 'admin@example.com', adminPassword)
  const onboarding = await prepareOnboarding(
    api,
    token,
    server.endpoints.http,
    Number(new URL(server.endpoints.mqtt).port),
  )
  const publishers: ReturnType<typeof publishNumbers>[] = []
  for (let index = 0; index < DEVICES; index++)
    publishers.push(
      publishNumbers(server.endpoints.mqtt, await onboarding.onboard(`down-${index}`), index * 1_000_000),
    )
  return { api, token, publishers }
}

const residentMb = async (pid: number) =>
  Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

async function expectNothingLost({ api, token, publishers }: Awaited<ReturnType<typeof startPublishers>>) {
  for (const device of await Promise.all(publishers.map((publisher) => publisher.stop())))
    await expectStoredOnce(api, token, device)
}

test('the embedded database is killed: its supervisor restarts it, and nothing is lost', async () => {
  await using server = await startServerProcess()
  const running = await startPublishers(server)
  for (let round = 0; round < 3; round++) {
    await untilAllAcknowledge(running.publishers)
    process.kill(await postmasterPid(server.dataDir), 'SIGKILL')
  }
  await untilAllAcknowledge(running.publishers)
  expect((await running.api('GET', '/readyz')).status).toBe(200)
  await expectNothingLost(running)
})

async function postmasterPid(dataDir: string) {
  const { stdout } = await promisify(execFile)('find', [dataDir, '-name', 'postmaster.pid'])
  return Number((await readFile(stdout.trim().split('\n')[0]!, 'utf8')).split('\n')[0])
}

test('the database is stopped: no PUBACK until it runs again, bounded memory, then all messages are stored', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'gangway-stopped-'))
  await chmod(dataDir, 0o711)
  const sealer = createSealer([randomBytes(32)])
  const start = () => startEmbeddedDatabase({ dataDir, log: testLog, sealer })
  let database = await start()
  await database.keepPassword(sealer)
  const url = connectionUrl(database.connection)
  try {
    await using server = await startServerProcess({ DATABASE_URL: url })
    const running = await startPublishers(server)
    await untilAllAcknowledge(running.publishers)

    await database[Symbol.asyncDispose]()
    const count = () => running.publishers.reduce((sum, publisher) => sum + publisher.acknowledged.length, 0)
    const whenStopped = count()
    await expect.poll(async () => (await running.api('GET', '/readyz')).status).toBe(503)
    // Messages committed just before may still be acknowledged; then there are no acknowledgements for seconds.
    let settled
    do {
      settled = count()
      await sleep(3000)
    } while (count() !== settled)
    expect(settled - whenStopped).toBeLessThan(1000)
    expect(await residentMb(server.pid())).toBeLessThan(MOST_RESIDENT_MB)
    const refused = await running.api('GET', '/v1/auth/me', undefined, { token: running.token })
    expect([refused.status, refused.body.error, refused.headers.get('retry-after')]).toEqual([
      503,
      'unavailable',
      '2',
    ])

    database = await start()
    await untilAllAcknowledge(running.publishers)
    await expectNothingLost(running)
  } finally {
    await database[Symbol.asyncDispose]()
    await rm(dataDir, { recursive: true, force: true })
  }
})
