/** The state of a real-time connection. `createRealtime` makes it; the other files of this folder work on it. */
import { ApiError } from '../api-error.ts'
import type { Method } from '../api-types.ts'
import { sendAndRead, type SentOptions, type Target } from '../request.ts'
import type { Batch, EventFor, PushedData, SubscriptionRequest, Topic } from './events.ts'
import type { Socket, WebSocketConstructor } from './socket.ts'
import type { Timing } from './timing.ts'

export type RealtimeState =
  | { name: 'connecting'; since: Date; error?: Error }
  | { name: 'live'; since: Date }
  /** Values are as of `since`, when the server was last heard. */
  | { name: 'reconnecting'; since: Date; error?: Error }
  /** The server refuses to connect, say because the sign-in has ended; `retry` tries again. */
  | { name: 'refused'; since: Date; error: ApiError }
  | { name: 'closed'; since: Date }

export interface Gap {
  /** Values that were stored between this time and the call of `onGap` may not have been received. */
  since: Date
}

/** The state of a connection that outlives its socket. */
export interface Session {
  /** The address of the server's WebSockets, without parameters. */
  url: string
  connectionId: string
  reconnectionToken: string
  /** The sequence id of the last message that was received. */
  sequenceId: number
  /** When the server ends the connection, because the token ends that negotiated it. */
  expiresAt: Date | undefined
  /** Data that wait until an earlier connection has delivered its own. */
  held: PushedData[] | undefined
}

export interface Connection {
  session: Session
  socket: Socket
}

export interface Watch {
  request: SubscriptionRequest
  /** Counts the changes of the request, and the renewals. */
  version: number
  /** The subscription as the server has it; undefined before the first one was accepted. */
  sent: { id: string; connectionId: string; version: number } | undefined
  syncing: Promise<void> | undefined
  /** Set until the watch is up again, if events may have been missed. */
  gapSince: Date | undefined
  isEnded: boolean
  renewal: ReturnType<typeof setTimeout> | undefined
  onEvent: (event: EventFor<Topic>) => void
  onStarted: () => void
  onGap: (gap: Gap) => void
  onEnd: (error: Error) => void
}

export interface Live {
  target: Target
  timing: Timing
  WebSocket: WebSocketConstructor
  onState: (state: RealtimeState) => void
  onGap: (gap: Gap) => void
  state: RealtimeState
  /** When the server was last heard; undefined before it was first connected. */
  heardAt: Date | undefined
  connection: Connection | undefined
  /** The broken connection, while it may be resumed. */
  lost: { session: Session; atMs: number } | undefined
  /** Whether there are two connections, of which the newer one takes over. */
  isReplacing: boolean
  gapSince: Date | undefined
  watches: Set<Watch>
  watchesById: Map<string, Watch>
  /** Requests whose answer will name a new subscription; data may arrive before it. */
  pendingSubscriptions: number
  heldById: Map<string, PushedData[]>
  isClosed: boolean
  /** Ends the waits for the next attempt. */
  wakers: Set<() => void>
}

export async function request(live: Live, method: Method, path: string, options?: SentOptions) {
  const timeoutMs = live.timing.openMs
  return (await sendAndRead(live.target, method, path, { ...options, timeoutMs })).body
}

export function setState(live: Live, state: RealtimeState): void {
  if (live.isClosed && state.name !== 'closed') return
  live.state = state
  call(() => live.onState(state))
}

/** Calls a function of the caller: what it throws is reported, and does not disturb the connection. */
export function call(run: () => void): void {
  try {
    run()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

/** Gives each event of a batch to the watch, until it ends. */
export function giveEvents(watch: Watch, { items, ...head }: Batch): void {
  for (const item of items) {
    if (watch.isEnded) return
    call(() => watch.onEvent({ ...head, ...item } as EventFor<Topic>))
  }
}

/** Waits for the next attempt; `wake` ends the wait. */
export function pause(live: Live, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      live.wakers.delete(finish)
      resolve()
    }
    const timer = delayMs === Infinity ? undefined : setTimeout(finish, delayMs)
    live.wakers.add(finish)
    if (live.isClosed) finish()
  })
}

export const wake = (live: Live): void => {
  for (const finish of live.wakers) finish()
}

/** Whether a repetition will be refused as well. */
export const isFinal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500 && ![408, 409, 429].includes(error.status)

export const retryAfterMs = (error: unknown): number =>
  error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
