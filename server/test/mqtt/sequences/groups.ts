import { connectSequences } from './connect.ts'
import { deliverySequences } from './delivery.ts'
import { limitSequences } from './limits.ts'
import { propertySequences } from './properties.ts'
import { publishSequences } from './publish.ts'
import { retainedSequences } from './retained.ts'
import type { Sequence } from './sequence.ts'
import { subscribeSequences } from './subscribe.ts'
import { willSequences } from './will.ts'
import { wrongPropertySequences } from './wrong-properties.ts'

/** Sequences that need no time, by what they are about. */
export const sequenceGroups: Record<string, Sequence[]> = {
  'CONNECT and CONNACK': connectSequences,
  wills: willSequences,
  'messages of a device': publishSequences,
  'SUBSCRIBE and UNSUBSCRIBE': subscribeSequences,
  'messages to a device': deliverySequences,
  'retained messages': retainedSequences,
  'properties of messages': propertySequences,
  'wrong properties': wrongPropertySequences,
  limits: limitSequences,
}
