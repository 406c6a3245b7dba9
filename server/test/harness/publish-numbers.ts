/** A device that publishes consecutive numbers, so that a lost or duplicate message is noticed. */
import mqtt from 'mqtt'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Api } from './platform.ts'

const LANES = 40
/** Between two messages of a lane: some messages are always in flight, and the machine has time for the rest. */
const PAUSE_MS = 100

/** Publishes 1, 2, 3, … with QoS 1, up to 400 a second, reconnecting whenever it is cut off. */
export function publishNumbers(
  url: string,
  { deviceId, primaryKey }: { deviceId: string; primaryKey: string },
  first: number,
) {
  const acknowledged: number[] = []
  let next = first
  const stopping = new AbortController()
  const client = mqtt.connect(url, {
    clientId: deviceId,
    username: deviceId,
    password: primaryKey,
    reconnectPeriod: 50,
  })
  client.on('error', () => {})
  const lanes = Array.from({ length: LANES }, async () => {
    while (!stopping.signal.aborted) {
      const number = next++
      await client.publishAsync(`devices/${deviceId}/telemetry`, JSON.stringify({ number }), { qos: 1 })
      acknowledged.push(number)
      await sleep(PAUSE_MS)
    }
  })
  return {
    acknowledged,
    stop: async () => {
      stopping.abort()
      await Promise.all(lanes)
      await client.endAsync()
      return { deviceId, acknowledged }
    },
  }
}

/** Waits until each device has reconnected and more messages are acknowledged than can have been in flight. */
export async function untilAllAcknowledge(publishers: { acknowledged: number[] }[]) {
  const goals = publishers.map((publisher) => publisher.acknowledged.length + 2 * LANES)
  while (publishers.some((publisher, index) => publisher.acknowledged.length < goals[index]!)) await sleep(5)
}

export async function storedNumbers(api: Api, token: string, deviceId: string): Promise<number[]> {
  const query = {
    assetId: deviceId,
    timeseriesName: ['number'],
    searchSpanFrom: new Date(Date.now() - 3_600_000).toISOString(),
    searchSpanTo: new Date(Date.now() + 60_000).toISOString(),
  }
  const { body } = await api('POST', '/v1/timeseries/get', query, { token })
  expect(body.items[0].queryResultLimitReached).toBe(null)
  return body.items[0].items.map((item: { value: number }) => item.value)
}

/** Expects each acknowledged number in the database, and none twice. */
export async function expectStoredOnce(
  api: Api,
  token: string,
  { deviceId, acknowledged }: { deviceId: string; acknowledged: number[] },
): Promise<void> {
  const stored = await storedNumbers(api, token, deviceId)
  const kept = new Set(stored)
  const lost = acknowledged.filter((number) => !kept.has(number))
  expect(lost, 'acknowledged and lost').toEqual([])
  expect(stored.length, 'stored twice').toBe(kept.size)
}
