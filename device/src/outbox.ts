import type { BoundedQueue, QueueLimits } from './bounded-queue.ts'
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

interface State {
  readonly waiting: BoundedQueue<Outbound>
  readonly onTheWay: Set<Outbound>
  bytesOnTheWay: number
  session: Session | undefined
  isRefusing: boolean
  onDrained: (() => void)[]
  readonly onDropped: OutboxOptions['onDropped']
}

export function createOutbox({ limits, onDropped }: OutboxOptions): Outbox {
  const outbox: State = {
    waiting: createBoundedQueue<Outbound>(limits),
    onTheWay: new Set(),
    bytesOnTheWay: 0,
    session: undefined,
    isRefusing: false,
    onDrained: [],
    onDropped,
  }
  return {
    get size() {
      return countMessages(outbox)
    },
    send: (topic, payload) => send(outbox, topic, payload),
    attach(opened) {
      outbox.session = opened
      pump(outbox)
    },
    detach: () => detach(outbox),
    drained: () =>
      new Promise((resolve) => {
        if (countMessages(outbox) === 0) resolve()
        else outbox.onDrained.push(resolve)
      }),
    refuse() {
      outbox.isRefusing = true
    },
    discard: () => discard(outbox),
  }
}

const countMessages = ({ waiting, onTheWay }: State) => waiting.length + onTheWay.size

function send(outbox: State, topic: string, payload: Buffer): Promise<void> {
  if (outbox.isRefusing) return Promise.reject(new DeviceError('closed', 'the device is closed'))
  const sent = new Promise<void>((resolve, reject) => {
    const message = { topic, payload, bytes: topic.length + payload.length, resolve, reject }
    dropOldest(outbox, outbox.waiting.push(message))
  })
  // Losses are reported by the `dropped` event; an unawaited promise must not end the process.
  sent.catch(() => undefined)
  pump(outbox)
  return sent
}

/** Publishes waiting messages as far as the window allows. */
function pump(outbox: State) {
  const { session } = outbox
  if (!session) return
  for (let next = takeNext(outbox); next; next = takeNext(outbox)) publish(outbox, session, next)
}

function takeNext({ waiting, onTheWay, bytesOnTheWay }: State): Outbound | undefined {
  const next = waiting.first()
  if (!next) return undefined
  const fits =
    onTheWay.size === 0 || (onTheWay.size < WINDOW_MESSAGES && bytesOnTheWay + next.bytes <= WINDOW_BYTES)
  return fits ? waiting.shift() : undefined
}

function publish(outbox: State, session: Session, message: Outbound) {
  outbox.onTheWay.add(message)
  outbox.bytesOnTheWay += message.bytes
  session.publish(message.topic, message.payload, () => {
    if (session === outbox.session) acknowledge(outbox, message)
  })
}

function acknowledge(outbox: State, message: Outbound) {
  outbox.onTheWay.delete(message)
  outbox.bytesOnTheWay -= message.bytes
  message.resolve()
  pump(outbox)
  if (outbox.onTheWay.size > 0) return
  for (const resolve of outbox.onDrained) resolve()
  outbox.onDrained = []
}

function detach(outbox: State) {
  outbox.session = undefined
  const unacknowledged = [...outbox.onTheWay]
  outbox.onTheWay.clear()
  outbox.bytesOnTheWay = 0
  dropOldest(outbox, outbox.waiting.putBack(unacknowledged))
}

function discard(outbox: State) {
  const { waiting, onTheWay } = outbox
  const left = [...onTheWay]
  onTheWay.clear()
  for (let next = waiting.shift(); next; next = waiting.shift()) left.push(next)
  const error = new DeviceError('closed', 'the device was closed before the broker acknowledged this')
  drop(outbox, left, error)
}

const dropOldest = (outbox: State, messages: Outbound[]) =>
  drop(outbox, messages, new DeviceError('dropped', 'the offline buffer was full and this was the oldest'))

function drop(outbox: State, messages: Outbound[], error: DeviceError) {
  if (messages.length === 0) return
  for (const message of messages) message.reject(error)
  outbox.onDropped(messages.length, error.code === 'closed' ? 'closed' : 'buffer_full')
}
