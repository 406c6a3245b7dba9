/** Nothing acknowledged is ever lost: the server is killed again and again while devices publish. */
import { expect, test } from 'vitest'
import { prepareOnboarding } from '../harness/onboarded-device.ts'
import { adminPassword, apiAt, logIn } from '../harness/platform.ts'
import { expectStoredOnce, publishNumbers, untilAllAcknowledge } from '../harness/publish-numbers.ts'
import { rounds } from '../harness/rounds.ts'
import { startServerProcess } from '../harness/server-process.ts'

const ROUNDS = rounds(20, 2)
const DEVICES = 4
const NUMBERS_PER_DEVICE = 1_000_000

test(
  `kill -9 of the server during ingest, ${ROUNDS} rounds: every acknowledged message is there, once`,
  { timeout: 1_800_000 },
  async () => {
    await using server = await startServerProcess()
    const api = apiAt(server.endpoints.http)
    const token = await logIn(api, 'admin@example.com', adminPassword)
    const onboarding = await prepareOnboarding(
      api,
      token,
      server.endpoints.http,
      urlPort(server.endpoints.mqtt),
    )
    const publishers = []
    for (let index = 0; index < DEVICES; index++)
      publishers.push(
        publishNumbers(
          server.endpoints.mqtt,
          await onboarding.onboard(`crash-${index}`),
          index * NUMBERS_PER_DEVICE,
        ),
      )

    for (let round = 0; round < ROUNDS; round++) {
      await untilAllAcknowledge(publishers)
      await server.kill('SIGKILL')
      await server.start()
    }
    await untilAllAcknowledge(publishers)
    const sent = await Promise.all(publishers.map((publisher) => publisher.stop()))

    for (const device of sent) {
      expect(device.acknowledged.length).toBeGreaterThan(ROUNDS)
      await expectStoredOnce(api, token, device)
    }
  },
)

const urlPort = (url: string) => Number(new URL(url).port)
