/** Metrics of the server under test. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from './server.ts'

const ASK_AGAIN_MS = 100

/** @returns the sum over all labels @throws if the server has no such metric */
export async function readMetric({ endpoints }: Server, name: string): Promise<number> {
  const text = await (await fetch(`${endpoints.http}/metrics`)).text()
  const values = [...text.matchAll(new RegExp(`^${name}(?:{[^}]*})? (\\S+)$`, 'gm'))]
  // A metric with labels has no values until something is counted.
  if (values.length === 0 && !text.includes(`# TYPE ${name} `))
    throw new Error(`the server has no metric ${name}`)
  return values.reduce((sum, [, value]) => sum + Number(value), 0)
}

/** Waits until the server has noticed that all devices are disconnected; the time limit of the case applies. */
export async function untilNobodyIsConnected(server: Server): Promise<void> {
  while ((await readMetric(server, 'gangway_mqtt_connections')) > 0) await sleep(ASK_AGAIN_MS)
}
