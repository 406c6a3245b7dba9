import type { QueueLimits } from './bounded-queue.ts'
import { createBoundedQueue } from './bounded-queue.ts'
import { DeviceError } from './device-error.ts'
import type { Session } from './session.ts'

// Enough messages in flight to hide the round trip, and few enough to let pings through a slow uplink.
const WINDOW_MESSAGES = 64
const WINDOW_BYTES = 256 * 1024

interface Outbound {
  topic: string
  payload: Buffer
  bytes: number
  resolve: () => void
  reject: (error: DeviceError) => void
}

/**
 * Outgoing messages in order, until the broker has acknowledged them. Messages wait while there is no session; messages
 * that a session leaves unacknowledged are sent first in the next one, byte for byte the same.
 */
export interface Outbox {
  /** Waiting and unacknowledged messages. */
  readonly size: number
  /** Resolves at the PUBACK. Rejects with DeviceError `dropped` or `closed`. */
  send(topic: string, payload: Buffer): Promise<void>
  attach(session: Session): void
  detach(): void
  /** Resolves when all messages are acknowledged. */
  drained(): Promise<void>
  /** Accepts no more messages. */
  refuse(): void
  /** Drops the remaining messages. */
  discard(): void
}

export interface OutboxOptions {
  limits: QueueLimits
  onDropped: (count: number, reason: 'buffer_full' | 'closed') => void
}

export function createOutbox({ limits, onDropped }: OutboxOptions): Outbox {
  const waiting = createBoundedQueue<Outbound>(limits)
  const onTheWay = new Set<Outbound>()
  let bytesOnTheWay = 0
  let session: Session | undefined
  let isRefusing = false
  let onDrained: (() => void)[] = []

  const fits = (message: Outbound) =>
    onTheWay.size === 0 || (onTheWay.size < WINDOW_MESSAGES && bytesOnTheWay + message.bytes <= WINDOW_BYTES)

  const takeNext = () => {
    const next = waiting.first()
    return next && fits(next) ? waiting.shift() : undefined
  }
  const pump = () => {
    const current = session
    if (!current) return
    for (let next = takeNext(); next; next = takeNext()) publish(current, next)
  }
  const publish = (current: Session, message: Outbound) => {
    onTheWay.add(message)
    bytesOnTheWay += message.bytes
    current.publish(message.topic, message.payload, () => {
      if (current === session) acknowledge(message)
    })
  }
  const acknowledge = (message: Outbound) => {
    onTheWay.delete(message)
    bytesOnTheWay -= message.bytes
    message.resolve()
    pump()
    if (onTheWay.size === 0) settleDrained()
  }
  const settleDrained = () => {
    for (const resolve of onDrained) resolve()
    onDrained = []
  }
  const drop = (messages: Outbound[], error: DeviceError, reason: 'buffer_full' | 'closed') => {
    if (messages.length === 0) return
    for (const message of messages) message.reject(error)
    onDropped(messages.length, reason)
  }
  const dropOldest = (messages: Outbound[]) =>
    drop(
      messages,
      new DeviceError('dropped', 'the offline buffer was full and this was the oldest'),
      'buffer_full',
    )

  return {
    get size() {
      return waiting.length + onTheWay.size
    },
    send(topic, payload) {
      if (isRefusing) return Promise.reject(new DeviceError('closed', 'the device is closed'))
      const sent = new Promise<void>((resolve, reject) => {
        dropOldest(waiting.push({ topic, payload, bytes: topic.length + payload.length, resolve, reject }))
      })
      // Losses are reported by the `dropped` event; an unawaited promise must not end the process.
      sent.catch(() => undefined)
      pump()
      return sent
    },
    attach(opened) {
      session = opened
      pump()
    },
    detach() {
      session = undefined
      const unacknowledged = [...onTheWay]
      onTheWay.clear()
      bytesOnTheWay = 0
      dropOldest(waiting.putBack(unacknowledged))
    },
    drained: () =>
      new Promise((resolve) => {
        if (waiting.length + onTheWay.size === 0) resolve()
        else onDrained.push(resolve)
      }),
    refuse() {
      isRefusing = true
    },
    discard() {
      const left = [...onTheWay]
      onTheWay.clear()
      for (let next = waiting.shift(); next; next = waiting.shift()) left.push(next)
      drop(
        left,
        new DeviceError('closed', 'the device was closed before the broker acknowledged this'),
        'closed',
      )
    },
  }
}
