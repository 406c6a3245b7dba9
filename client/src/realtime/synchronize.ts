/** Keeps the subscriptions at the server as the watches of the page are: added, changed, renewed and moved. */
import { ApiError } from '../api-error.ts'
import type { Schemas } from '../api-types.ts'
import {
  call,
  type Connection,
  giveEvents,
  isFinal,
  type Live,
  pause,
  request,
  retryAfterMs,
  type Watch,
} from './live.ts'
import type { SubscriptionEvent } from './events.ts'
import { chooseDelay } from './timing.ts'

/** @returns once the watch is up to date, has ended, or the connection is broken */
export function synchronize(live: Live, watch: Watch): Promise<void> {
  watch.syncing ??= sendUntilCurrent(live, watch).finally(() => {
    watch.syncing = undefined
    if (isDue(live, watch)) void synchronize(live, watch)
  })
  return watch.syncing
}

export const synchronizeAll = (live: Live): Promise<unknown> =>
  Promise.all([...live.watches].map((watch) => synchronize(live, watch)))

/** Whether the server does not know the present state of the watch on the present connection. */
const isDue = ({ connection, isClosed }: Live, { isEnded, sent, version }: Watch): boolean =>
  connection !== undefined &&
  !isClosed &&
  !isEnded &&
  (sent?.version !== version || sent.connectionId !== connection.session.connectionId)

async function sendUntilCurrent(live: Live, watch: Watch): Promise<void> {
  for (let attempts = 0; isDue(live, watch); attempts++) {
    const connection = live.connection!
    try {
      await sendWatch(live, watch)
      attempts = 0
    } catch (error) {
      // While a connection is replaced, the other one still sends what the new one cannot take over.
      if (isLost(error) && watch.sent && live.isReplacing) watch.sent = undefined
      else if (isLost(error) && watch.sent) loseSubscription(live, watch, live.heardAt!)
      else if (await isRefused(live, connection, error)) endWatch(live, watch, error as ApiError)
      else if (isDue(live, watch))
        await pause(live, Math.max(retryAfterMs(error), chooseDelay(live.timing, attempts)))
    }
  }
}

const isLost = (error: unknown) => error instanceof ApiError && error.status === 404

/**
 * A connection that broke, maybe without a notice, is not known to the server either; then the watch is sent again.
 * @param connection the one for which the server was asked
 */
async function isRefused(live: Live, connection: Connection, error: unknown): Promise<boolean> {
  if (!isFinal(error) || error.status === 401) return false
  if (error.status === 404) await connection.socket.check()
  return live.connection === connection
}

async function sendWatch(live: Live, watch: Watch): Promise<void> {
  const { version, sent } = watch
  const { connectionId } = live.connection!.session
  const body = { ...watch.request, connectionId, batched: true }
  live.pendingSubscriptions++
  try {
    const record = sent
      ? await request(live, 'put', '/v1/realtime/subscriptions/{subscriptionId}', {
          path: { subscriptionId: sent.id },
          body,
        })
      : await request(live, 'post', '/v1/realtime/subscriptions', { body })
    const { id } = record as Schemas['Subscription']
    if (watch.isEnded) return deleteSubscription(live, id)
    watch.sent = { id, connectionId, version }
    live.watchesById.set(id, watch)
    scheduleRenewal(live, watch)
    announce(live, watch, id)
  } finally {
    if (--live.pendingSubscriptions === 0) live.heldById.clear()
  }
}

function announce(live: Live, watch: Watch, id: string): void {
  call(watch.onStarted)
  const held = live.heldById.get(id) ?? []
  live.heldById.delete(id)
  for (const data of held) if (data.topic !== 'subscription') giveEvents(watch, data)
  const since = watch.gapSince
  watch.gapSince = undefined
  // The subscription has started, so a query made from now on returns everything that it did not send.
  if (since) call(() => watch.onGap({ since }))
  for (const data of held) if (data.topic === 'subscription') applySubscriptionEvent(live, watch, data)
}

/** Applies what the server did to the subscription of a watch. */
export function applySubscriptionEvent(live: Live, watch: Watch, { event, reason }: SubscriptionEvent): void {
  if (event === 'ended') return endWatch(live, watch, new Error(reason ?? 'The subscription has ended.'))
  loseSubscription(live, watch, new Date())
  void synchronize(live, watch)
}

function scheduleRenewal(live: Live, watch: Watch): void {
  clearTimeout(watch.renewal)
  watch.renewal = setTimeout(() => changeWatch(live, watch, {}), live.timing.renewSubscriptionMs)
}

export function changeWatch(live: Live, watch: Watch, change: Partial<Watch['request']>): void {
  Object.assign(watch.request, change)
  watch.version++
  void synchronize(live, watch)
}

/** The server has the subscription no more; events may be missed until there is another. */
export function loseSubscription(live: Live, watch: Watch, since: Date): void {
  if (!watch.sent) return
  live.watchesById.delete(watch.sent.id)
  watch.sent = undefined
  watch.gapSince ??= since
}

/** @param error why it ended, if the caller has not stopped it */
export function endWatch(live: Live, watch: Watch, error?: Error): void {
  if (watch.isEnded) return
  watch.isEnded = true
  clearTimeout(watch.renewal)
  live.watches.delete(watch)
  const id = watch.sent?.id
  if (id !== undefined) live.watchesById.delete(id)
  if (error) call(() => watch.onEnd(error))
  else if (id !== undefined) deleteSubscription(live, id)
}

/** A subscription that is not deleted ends with its connection, or expires. */
function deleteSubscription(live: Live, subscriptionId: string): void {
  if (live.isClosed) return
  request(live, 'delete', '/v1/realtime/subscriptions/{subscriptionId}', { path: { subscriptionId } }).catch(
    () => {},
  )
}
