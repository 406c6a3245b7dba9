import { createHash } from 'node:crypto'
import type { Broker } from '../routing-targets/schema.ts'

/** The first broker, unless the target spreads its devices: then each device always gets the same one. [docs/onboarding#routing-targets] */
export function chooseBroker(brokers: Broker[], selection: 'first' | 'spread', deviceId: string): Broker {
  const index =
    selection === 'first' ? 0 : createHash('sha256').update(deviceId).digest().readUInt32BE() % brokers.length
  return brokers[index]!
}
