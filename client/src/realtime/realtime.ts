/** Live telemetry and alarms. [docs/client#real-time] */
import type { Target } from '../request.ts'
import type { EventFor, SubscriptionRequest, Topic } from './events.ts'
import { keepConnected } from './keep-connected.ts'
import { call, type Gap, type Live, type RealtimeState, setState, wake, type Watch } from './live.ts'
import { reactToPage } from './page-events.ts'
import type { WebSocketConstructor } from './socket.ts'
import { changeWatch, endWatch, synchronize } from './synchronize.ts'
import { defaultTiming, type Timing } from './timing.ts'

export interface RealtimeOptions {
  onState?: (state: RealtimeState) => void
  /** Called once everything is subscribed again after a break that lost events: what is shown has to be read again. */
  onGap?: (gap: Gap) => void
  /** Where there is no global one, as on Node.js 20: that of the package `ws`. */
  WebSocket?: WebSocketConstructor
}

export interface SubscriptionHooks {
  /** Called once this subscription is up again after a break that lost events. */
  onGap?: (gap: Gap) => void
  /** The server refuses the subscription (an `ApiError`), or has ended it because access was lost. */
  onEnd?: (error: Error) => void
}

export interface LiveSubscription {
  /** Resolves once the server sends events, and rejects if it refuses. */
  started: Promise<void>
  /** Changes what is watched. Assets that stay are not sent again. */
  change(change: Partial<Omit<SubscriptionRequest, 'topic'>>): void
  stop(): void
}

export interface Realtime {
  readonly state: RealtimeState
  /** When the server was last heard, at most some seconds ago while the connection is live. */
  readonly heardAt: Date | undefined
  /** First come the last known values or the open alarms, then what is stored. An event may come twice. */
  subscribe<T extends Topic>(
    request: SubscriptionRequest<T>,
    onEvent: (event: EventFor<T>) => void,
    hooks?: SubscriptionHooks,
  ): LiveSubscription
  /** Tries at once to connect, instead of after the present wait. */
  retry(): void
  close(): void
}

export function createRealtime(
  target: Target,
  options: RealtimeOptions = {},
  timing: Timing = defaultTiming,
): Realtime {
  const live = makeLive(target, options, timing)
  const release = reactToPage({
    onBack: () => wake(live),
    onDoubt: () => void live.connection?.socket.check(),
  })
  void keepConnected(live)
  return {
    get state() {
      return live.state
    },
    get heardAt() {
      return live.heardAt
    },
    subscribe: (request, onEvent, hooks) => {
      const { watch, started } = makeWatch(request, onEvent as Watch['onEvent'], hooks)
      live.watches.add(watch)
      void synchronize(live, watch)
      return {
        started,
        change: (change) => changeWatch(live, watch, change),
        stop: () => endWatch(live, watch),
      }
    },
    retry: () => wake(live),
    close: () => {
      if (live.isClosed) return
      live.isClosed = true
      release()
      for (const watch of live.watches) endWatch(live, watch)
      live.connection?.socket.close()
      wake(live)
      setState(live, { name: 'closed', since: new Date() })
    },
  }
}

function makeLive(target: Target, options: RealtimeOptions, timing: Timing): Live {
  const { onState = () => {}, onGap = () => {} } = options
  const WebSocket = options.WebSocket ?? (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket
  if (!WebSocket)
    throw new TypeError('There is no global WebSocket: pass the one of the package `ws` as an option.')
  return {
    target,
    timing,
    WebSocket,
    onState,
    onGap: (gap) => call(() => onGap(gap)),
    state: { name: 'connecting', since: new Date() },
    heardAt: undefined,
    connection: undefined,
    lost: undefined,
    isReplacing: false,
    gapSince: undefined,
    watches: new Set(),
    watchesById: new Map(),
    pendingSubscriptions: 0,
    heldById: new Map(),
    isClosed: false,
    wakers: new Set(),
  }
}

function makeWatch(
  request: SubscriptionRequest,
  onEvent: Watch['onEvent'],
  { onGap = () => {}, onEnd = () => {} }: SubscriptionHooks = {},
) {
  let resolve!: () => void
  let reject!: (error: Error) => void
  const started = new Promise<void>((...settle) => ([resolve, reject] = settle))
  // `onEnd` reports a refusal, too: a caller does not have to wait for the start.
  started.catch(() => {})
  const watch: Watch = {
    request: { ...request },
    version: 0,
    sent: undefined,
    syncing: undefined,
    gapSince: undefined,
    isEnded: false,
    renewal: undefined,
    onEvent,
    onStarted: resolve,
    onGap,
    onEnd: (error) => {
      reject(error)
      onEnd(error)
    },
  }
  return { watch, started }
}
