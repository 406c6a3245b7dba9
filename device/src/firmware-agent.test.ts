import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type FileServer, startFileServer } from '../test/file-server.ts'
import { quickClock } from '../test/quick-clock.ts'
import { createFirmwareAgent, type FirmwareAgentOptions } from './firmware-agent.ts'
import type { JsonObject } from './json.ts'

const content = Buffer.alloc(200_000, 'firmware ')
let files: FileServer
let directory: string
beforeEach(async () => {
  files = await startFileServer(content)
  directory = await mkdtemp(join(tmpdir(), 'gangway-agent-'))
})
afterEach(async () => {
  await files[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

type Status = JsonObject & { status: string }

/** An agent whose device keeps what it reports. */
function startAgent(options: Partial<FirmwareAgentOptions> = {}) {
  const reported: Status[] = []
  const waiting: { status: string; resolve: (status: Status) => void }[] = []
  const device = {
    reportProperties: async ({ firmwareStatus }: JsonObject) => {
      const status = firmwareStatus as Status
      reported.push(status)
      for (const each of waiting) if (each.status === status.status) each.resolve(status)
    },
  }
  const installed: Buffer[] = []
  const install = async ({ path }: { path: string }) => void installed.push(await readFile(path))
  const agent = createFirmwareAgent(device, { directory, install, clock: quickClock(), ...options })
  const until = (status: string) =>
    new Promise<Status>((resolve) => {
      const found = reported.find((each) => each.status === status)
      if (found) resolve(found)
      else waiting.push({ status, resolve })
    })
  return { ...agent, installed, reported, until, words: () => reported.map(({ status }) => status) }
}

/** Cuts the connection once the partial file has so many bytes. */
const cut = (cutAfter: number, bytes = cutAfter) => ({
  cutAfter,
  isStored: async () => (await storedBytes()) >= bytes,
})

async function storedBytes(): Promise<number> {
  const names = await readdir(directory).catch(() => [])
  const part = names.find((name) => name.endsWith('.part'))
  return part ? (await stat(join(directory, part)).catch(() => ({ size: 0 }))).size : 0
}

const order = (fields: object = {}) => ({
  firmware: { url: files.url, sha256: files.sha256, release: '2', ...fields },
})

test('downloads, checks, installs and reports', async () => {
  const agent = startAgent()
  agent.onDesired(order({ size: content.length }))
  expect(await agent.until('Succeeded')).toMatchObject({ release: '2', sha256: files.sha256, message: null })
  expect(agent.installed).toEqual([content])
  expect(agent.words().filter((word) => word !== 'Downloading')).toEqual(['Installing', 'Succeeded'])
  await agent.close()
})

test('a download that was interrupted half way is resumed there', async () => {
  files.next = [cut(100_000)]
  const agent = startAgent()
  agent.onDesired(order())
  await agent.until('Succeeded')
  expect(files.asked).toEqual([null, 'bytes=100000-'])
  expect(agent.installed).toEqual([content])
  await agent.close()
})

test('a download that is interrupted repeatedly continues as long as each try receives something', async () => {
  files.next = Array.from({ length: 15 }, (_, index) => cut(10_000, 10_000 * (index + 1)))
  const agent = startAgent()
  agent.onDesired(order())
  await Promise.race([agent.until('Succeeded'), agent.until('Failed')])
  expect(agent.words().at(-1)).toBe('Succeeded')
  expect(files.asked).toHaveLength(16)
  await agent.close()
})

test('a download is resumed after a restart of the device, and a completed order is only reported', async () => {
  files.next = [cut(50_000), { status: 503 }, { silent: true }]
  const first = startAgent()
  first.onDesired(order())
  while (files.asked.length < 3) await new Promise((resolve) => void setTimeout(resolve, 5))
  await first.close()
  expect(first.words()).not.toContain('Failed')
  const second = startAgent()
  second.onDesired(order())
  await second.until('Succeeded')
  expect(files.asked).toEqual([null, ...Array.from({ length: 3 }, () => 'bytes=50000-')])
  await second.close()
  const { length } = files.asked
  const third = startAgent()
  third.onDesired(order())
  expect(await third.until('Succeeded')).toMatchObject({ release: '2' })
  expect([third.installed, third.words()]).toEqual([[], ['Succeeded']])
  expect(files.asked).toHaveLength(length)
  await third.close()
})

test('a server without support for Range sends the whole file again', async () => {
  files.next = [cut(1000), { withoutRange: true }]
  const agent = startAgent()
  agent.onDesired(order())
  await agent.until('Succeeded')
  expect(agent.installed).toEqual([content])
  await agent.close()
})

test.each([
  ['another sum', { sha256: '0'.repeat(64) }, 'differs from the order'],
  ['another size', { size: 5 }, '5 were ordered'],
])('a file with %s is not installed, and not kept', async (_what, fields, message) => {
  const agent = startAgent()
  agent.onDesired(order(fields))
  expect((await agent.until('Failed')).message).toContain(message)
  expect(agent.installed).toEqual([])
  await agent.close()
  expect(await readdir(directory)).toEqual(['last-order.json'])
})

test.each([
  ['a link that has ended', [{ status: 404 }], '404'],
  [
    'a server that never answers well',
    Array.from({ length: 10 }, () => ({ status: 503 })),
    'cannot continue',
  ],
])('%s is reported', async (_what, next, message) => {
  files.next = next
  const agent = startAgent()
  agent.onDesired(order())
  expect((await agent.until('Failed')).message).toContain(message)
  await agent.close()
})

test('the error of the installation is the reason of the failure', async () => {
  const agent = startAgent({
    install: async () => {
      throw new Error('the slot is write-protected')
    },
  })
  agent.onDesired(order())
  expect((await agent.until('Failed')).message).toBe('the slot is write-protected')
  await agent.close()
})

test.each([
  [{ url: 'ftp://example.com/x' }, 'url'],
  [{ url: undefined }, 'url'],
  [{ sha256: '../../etc/passwd' }, 'sha256'],
  [{ size: -1 }, 'size'],
])('%j is no order', async (fields, message) => {
  const agent = startAgent()
  agent.onDesired(order(fields))
  expect((await agent.until('Rejected')).message).toContain(message)
  expect(files.asked).toEqual([])
  await agent.close()
})

test("an order that is withdrawn or replaced ends without a report that could be taken for the next order's", async () => {
  files.next = [cut(10), ...Array.from({ length: 5 }, () => ({ status: 503 }))]
  const agent = startAgent()
  agent.onDesired(order())
  await agent.until('Downloading')
  agent.onDesired({ other: 1 })
  await agent.until('Idle')
  files.next = []
  agent.onDesired(order({ url: `${files.url}?again` }))
  await agent.until('Succeeded')
  expect(agent.words()).not.toContain('Failed')
  expect(agent.installed).toHaveLength(1)
  await agent.close()
})
