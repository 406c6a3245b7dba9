import { createHash } from 'node:crypto'
import type { Broker } from '../routing-targets/schema.ts'

/** Returns the first broker, or with `spread` a broker that is always the same for a device. [docs/onboarding#routing-targets] */
export function chooseBroker(brokers: Broker[], selection: 'first' | 'spread', deviceId: string): Broker {
  const index =
    selection === 'first' ? 0 : createHash('sha256').update(deviceId).digest().readUInt32BE() % brokers.length
  return brokers[index]!
}
