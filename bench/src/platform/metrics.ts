/** Metrics of the server under test. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Platform } from './start.ts'

const ASK_AGAIN_MS = 100

/** @returns the sum over all labels @throws if the server has no such metric */
export async function readMetric(platform: Platform, name: string): Promise<number> {
  const response = await fetch(`${platform.server().endpoints.http}/metrics`)
  const values = [...(await response.text()).matchAll(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'gm'))]
  if (values.length === 0) throw new Error(`the server has no metric ${name}`)
  return values.reduce((sum, [, value]) => sum + Number(value), 0)
}

/** Waits until the server has noticed that all devices are disconnected; the time limit of the case applies. */
export async function untilNobodyIsConnected(platform: Platform): Promise<void> {
  while ((await readMetric(platform, 'gangway_mqtt_connections')) > 0) await sleep(ASK_AGAIN_MS)
}
