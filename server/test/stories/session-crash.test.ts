/**
 * Kept sessions survive kill -9 of the server: what was acknowledged reaches the device and the platform, and nothing
 * with QoS 2 arrives twice. [docs/mqtt#sessions]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import mqtt, { type MqttClient } from 'mqtt'
import { expect, test } from 'vitest'
import { type OnboardedDevice, prepareOnboarding } from '../harness/onboarded-device.ts'
import { adminPassword, apiAt, logIn } from '../harness/platform.ts'
import { storedNumbers } from '../harness/publish-numbers.ts'
import { rounds } from '../harness/rounds.ts'
import { startServerProcess } from '../harness/server-process.ts'

const ROUNDS = rounds(12, 2)
/** Few enough that no session ever has as many messages waiting as it may have. */
const LANES = 12
const PAUSE_MS = 20
const PER_ROUND = 60

test(
  `kill -9 of the server during QoS 1 and QoS 2 in both directions, ${ROUNDS} rounds: nothing is lost, nothing of QoS 2 doubled`,
  { timeout: 1_800_000 },
  async () => {
    await using server = await startServerProcess()
    const { http, mqtt: url } = server.endpoints
    const api = apiAt(http)
    const token = await logIn(api, 'admin@example.com', adminPassword)
    const onboarding = await prepareOnboarding(api, token, http, Number(new URL(url).port))
    const pairs = []
    for (const version of [4, 5] as const)
      pairs.push(await startPair(url, await onboarding.onboard(`pair-${version}`), version))

    for (let round = 0; round < ROUNDS; round++) {
      await untilEachSends(pairs, PER_ROUND)
      await server.kill('SIGKILL')
      await server.start()
    }
    await untilEachSends(pairs, PER_ROUND)

    for (const pair of pairs) {
      await pair.stop()
      const { acknowledged, received, deviceId } = pair
      const missing = (qos: 1 | 2) => acknowledged[qos].filter((number) => !received[qos].includes(number))
      expect(missing(1), 'QoS 1: acknowledged and not received').toEqual([])
      expect(missing(2), 'QoS 2: acknowledged and not received').toEqual([])
      expect(duplicates(received[2]), 'QoS 2: received twice').toEqual([])
      const stored = await storedNumbers(api, token, deviceId)
      const kept = new Set(stored)
      expect(
        acknowledged.telemetry.filter((number) => !kept.has(number)),
        'acknowledged and not stored',
      ).toEqual([])
      expect(duplicates(stored), 'stored twice').toEqual([])
    }
  },
)

type Pair = Awaited<ReturnType<typeof startPair>>

/** Two kept sessions of one device: the first sends numbers to the second, and as telemetry. */
async function startPair(url: string, device: OnboardedDevice, version: 4 | 5) {
  const { deviceId } = device
  const sender = connectKept(url, device, 'sender', version)
  const receiver = connectKept(url, device, 'receiver', version)
  const acknowledged = { 1: [] as number[], 2: [] as number[], telemetry: [] as number[] }
  const received = { 1: [] as number[], 2: [] as number[], last: false }
  receiver.on('message', (topic, payload) => {
    const name = topic.slice(topic.lastIndexOf('/') + 1)
    if (name === 'last') received.last = true
    else received[Number(name) as 1 | 2].push(Number(payload))
  })
  await receiver.subscribeAsync(`devices/${deviceId}/own/#`, { qos: 2 })

  let next = 0
  const stopping = new AbortController()
  const publish = async (kind: 1 | 2 | 'telemetry') => {
    const number = next++
    if (kind === 'telemetry')
      await sender.publishAsync(`devices/${deviceId}/telemetry`, JSON.stringify({ number }), { qos: 2 })
    else await sender.publishAsync(`devices/${deviceId}/own/${kind}`, `${number}`, { qos: kind })
    acknowledged[kind].push(number)
  }
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    const kind = ([1, 2, 'telemetry'] as const)[lane % 3]!
    while (!stopping.signal.aborted) {
      if (receiver.connected) await publish(kind)
      await sleep(PAUSE_MS)
    }
  })
  return {
    deviceId,
    acknowledged,
    received,
    /** Resolves when everything that was sent has arrived. */
    stop: async () => {
      stopping.abort()
      await Promise.all(lanes)
      await sender.publishAsync(`devices/${deviceId}/own/last`, '', { qos: 2 })
      await expect.poll(() => received.last).toBe(true)
      await Promise.all([sender.endAsync(), receiver.endAsync()])
    },
  }
}

function connectKept(
  url: string,
  { deviceId, primaryKey }: OnboardedDevice,
  clientId: string,
  protocolVersion: 4 | 5,
): MqttClient {
  const client = mqtt.connect(url, {
    clientId,
    username: deviceId,
    password: primaryKey,
    protocolVersion,
    clean: false,
    resubscribe: false,
    reconnectPeriod: 50,
    ...(protocolVersion === 5 && { properties: { sessionExpiryInterval: 3600 } }),
  })
  client.on('error', () => {})
  return client
}

async function untilEachSends(pairs: Pair[], count: number) {
  const total = ({ acknowledged }: Pair) =>
    acknowledged[1].length + acknowledged[2].length + acknowledged.telemetry.length
  const goals = pairs.map((pair) => total(pair) + count)
  while (pairs.some((pair, index) => total(pair) < goals[index]!)) await sleep(5)
}

const duplicates = (numbers: number[]) => numbers.filter((number, index) => numbers.indexOf(number) < index)
