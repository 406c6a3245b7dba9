/** Runs the script of the README against a real server, from the sources. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { codeBlocks } from '../../server/test/harness/code-blocks.ts'
import { type Platform, startPlatform } from '../../server/test/harness/platform.ts'
import { makeClient, sampleMaker } from '../../server/test/harness/realtime.ts'
import { WebSocket } from '../../server/test/harness/web-socket.ts'
import * as client from '../src/index.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makeClient(platform, 'pump-7')
})
afterAll(() => platform?.[Symbol.asyncDispose]())

test('the script of the README runs', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const script = codeBlocks(readme, 'ts')
    .replaceAll(/^import .*$/gm, '')
    .replace('http://localhost:8080', platform.url)
  const lines: string[] = []
  const run = new Function(
    'ApiError',
    'connect',
    'WebSocket',
    'process',
    'console',
    `return (async () => {${script}})()`,
  )
  const env = { TOKEN: platform.adminToken }
  await run(client.ApiError, client.connect, WebSocket, { env }, { log: (line: string) => lines.push(line) })
  const sample = await sampleMaker(platform)
  platform.ctx.push.publishSamples([sample('pump-7', 21.5)])
  await vi.waitFor(() => expect(lines).toContain('closed'))
  expect(lines).toEqual([
    'signed in to default',
    'pump-7 is called pump-7',
    '404 not_found: There is no asset no-such-asset.',
    'live',
    'temperature is 21.5',
    'closed',
  ])
})
