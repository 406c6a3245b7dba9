/**
 * Takes a node out of service before it stops. Load balancers read in `/readyz` that it is stopping and send nobody there any
 * more; only then its devices are disconnected, so that they connect to other nodes. [docs/cluster#rolling-restart]
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Mqtt } from '../mqtt/start.ts'
import type { Runtime } from '../runtime.ts'

type DrainContext = Pick<Runtime, 'config' | 'log' | 'shutdown'>

/** @param mqtt undefined on a node that is no gateway */
export async function drain(
  { config, log, shutdown }: DrainContext,
  mqtt: Pick<Mqtt, 'handOver'> | undefined,
): Promise<void> {
  shutdown.isRequested = true
  if (config.drainSeconds === 0) return
  log.info({ seconds: config.drainSeconds }, 'draining: /readyz says so, then devices are disconnected')
  const halfMs = config.drainSeconds * 500
  await sleep(halfMs)
  await (mqtt ? mqtt.handOver(halfMs) : sleep(halfMs))
}
