/** Tests the agent of the device SDK with the links of the platform. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFirmwareAgent } from '../../../../device/src/firmware-agent.ts'
import { quickClock } from '../../../../device/test/quick-clock.ts'
import {
  deployed,
  getDesired,
  insertClients,
  makeRelease,
  report,
  getUpdate,
  uploadFirmware,
} from '../../../test/harness/firmware.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'

let platform: Platform
let directory: string
beforeAll(async () => {
  platform = await startPlatform()
  directory = await mkdtemp(join(tmpdir(), 'gangway-agent-'))
})
afterAll(async () => {
  await rm(directory, { recursive: true })
  await platform[Symbol.asyncDispose]()
})

test('an interrupted download is resumed with Range, and the update succeeds', async () => {
  const content = Buffer.from(Array.from({ length: 400_000 }, (_, index) => index % 251))
  const fileResourceId = (await uploadFirmware(platform, content)).body.id
  const [id = ''] = await insertClients(platform, 1)
  await deployed(platform, { releaseId: await makeRelease(platform, { fileResourceId }), deviceIds: [id] })

  const answers: (string | number | null)[] = []
  const cutting: typeof fetch = async (url, init) => {
    const response = await fetch(url, init)
    answers.push(response.status, response.headers.get('content-length'))
    return answers.length === 2 ? new Response(cutAt(response, 200_000), response) : response
  }
  let reported: Promise<void> = Promise.resolve()
  const device = {
    reportProperties: ({ firmwareStatus }: Record<string, unknown>) =>
      (reported = reported.then(() => report(platform, id, withoutNulls(firmwareStatus)))),
  }
  const installed: Buffer[] = []
  let isDone = () => {}
  const done = new Promise<void>((resolve) => (isDone = resolve))
  const agent = createFirmwareAgent(device, {
    directory,
    fetch: cutting,
    clock: quickClock(),
    install: async ({ path }) => {
      installed.push(await readFile(path))
      isDone()
    },
  })
  agent.onDesired(await getDesired(platform, id))
  await done
  await agent.close()
  await reported
  expect(answers).toEqual([200, '400000', 206, '200000'])
  expect(installed).toEqual([content])
  expect(await getUpdate(platform, id)).toMatchObject({
    status: 'Succeeded',
    statusValue: { release: '1.0' },
  })
})

/** Simulates a lost connection: an error in the middle of the body. */
function cutAt(response: Response, bytes: number): ReadableStream<Uint8Array> {
  let left = bytes
  return response.body!.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk.subarray(0, left))
        left -= chunk.length
        if (left <= 0) controller.error(new Error('the connection broke'))
      },
    }),
  )
}

const withoutNulls = (status: unknown) =>
  Object.fromEntries(Object.entries(status as object).filter(([, value]) => value !== null))
