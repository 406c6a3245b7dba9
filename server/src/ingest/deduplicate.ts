/**
 * Removes QoS 1 repeats that the unique key does not detect: those of messages that are timed by their arrival, which have
 * another time. Detecting them needs a query for stored rows, which is skipped for messages that cannot be repeats. It also
 * finds messages that an earlier process stored but could not acknowledge. [docs/telemetry#repeats]
 */
import type { StoreContext } from './batch.ts'
import { listStoredMessages } from '../timeseries/query/stored-messages.ts'
import { REPEAT_WINDOW_MS } from './dead-letters/store.ts'
import type { DeviceMessage } from './message.ts'
import type { Projected } from './projection/projected.ts'

/** @param earlier resolves when earlier batches have ended, which may include the message that is repeated here */
export async function deduplicate(
  { db }: Pick<StoreContext, 'db'>,
  projected: Projected[],
  earlier: Promise<unknown>,
): Promise<Projected[]> {
  const doubtful = projected.filter(isDoubtful)
  if (doubtful.length === 0) return projected
  await earlier
  const stored = await listStoredMessages(db, doubtful.map(describeMessage))
  const repeated = new Set(doubtful.filter((_one, index) => stored.has(index)))
  // The first message may be in this same batch.
  const firsts = new Map<string, DeviceMessage>()
  return projected.filter((one) => {
    const { message } = one.measurement
    const key = repeatKey(one)
    if (!firsts.has(key)) firsts.set(key, message)
    return !repeated.has(one) && (firsts.get(key) === message || !isDoubtful(one))
  })
}

const isDoubtful = ({ measurement: { message, isTimedByArrival } }: Projected): boolean =>
  message.isRepeat && message.packetId !== 0 && isTimedByArrival

const repeatKey = ({ measurement: { message, messageId } }: Projected) =>
  `${message.device.number} ${messageId}`

/** Every message has a row under its client. Another node, with a different clock, may have received it. */
const describeMessage = ({ measurement: { message, messageId, timeMs } }: Projected) => ({
  tenantNumber: message.device.tenantNumber,
  clientId: message.device.id,
  messageId,
  sinceMs: timeMs - REPEAT_WINDOW_MS,
  untilMs: timeMs + REPEAT_WINDOW_MS,
})
