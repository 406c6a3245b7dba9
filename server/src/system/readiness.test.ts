/** Components that hang are reported and do not delay the response. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { createReadiness } from './readiness.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  platform.ctx.endpoints.mqtt = 'mqtt://127.0.0.1:1883'
})
afterAll(() => platform[Symbol.asyncDispose]())

const ready = { database: true, broker: true, ingest: true, nodes: false, files: true, disk: true }
const never = () => new Promise<never>(() => {})

test('a file storage that hangs is named, and asked once for concurrent requests', async () => {
  let asked = 0
  const check = () => {
    asked++
    return never()
  }
  const readiness = createReadiness({
    ...platform.ctx,
    ...platform.parts,
    files: { ...platform.ctx.files, check },
  })
  const answers = await Promise.all(Array.from({ length: 20 }, readiness))
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
    new Set([JSON.stringify({ ...ready, files: false })]),
  )
  expect(asked).toBe(1)
})

test('a failure of the file storage alone leaves the server ready', async () => {
  const { files } = platform.ctx
  const { check } = files
  files.check = () => Promise.reject(new Error('away'))
  try {
    expect(await platform.get('/readyz')).toMatchObject({ status: 200, body: { status: 'ok', files: false } })
  } finally {
    files.check = check
  }
})

test('messages that are not committed make it unready', async () => {
  const ingest = { ...platform.parts.ingest, longestWaitMs: () => 11_000 }
  expect(await createReadiness({ ...platform.ctx, ingest })()).toEqual({ ...ready, ingest: false })
})

test('the state of the stream is named, and messages that wait for it make the server unready', async () => {
  const read = (waitMs: number) =>
    createReadiness({
      ...platform.ctx,
      ...platform.parts,
      stream: { longestWaitMs: () => waitMs, state: () => 'full' },
    })()
  expect(await read(0)).toEqual({ ...ready, stream: 'full' })
  expect(await read(11_000)).toEqual({ ...ready, ingest: false, stream: 'full' })
})

test('a node that is no gateway does its work whatever the state of the stream', async () => {
  const { config } = platform.ctx
  const readiness = createReadiness({
    ...platform.ctx,
    ...platform.parts,
    config: { ...config, roles: new Set(['api']) },
    stream: { longestWaitMs: () => 0, state: () => 'away' },
  })
  const { broker: _, ...parts } = ready
  expect(await readiness()).toEqual(parts)
})

test('a server that was asked to stop is not ready, though all its parts work', async () => {
  platform.ctx.shutdown.isRequested = true
  try {
    expect(await platform.get('/readyz')).toMatchObject({
      status: 503,
      body: { ...ready, status: 'stopping' },
    })
    expect((await platform.get('/healthz')).status).toBe(200)
  } finally {
    platform.ctx.shutdown.isRequested = false
  }
})
