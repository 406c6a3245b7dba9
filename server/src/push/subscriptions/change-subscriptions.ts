import type { Static } from 'typebox'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'
import { isSameCredentials } from '../connections/credentials.ts'
import { requireOwners } from './owners.ts'
import { type ChangeSubscription, requireUsable, type SubscriptionBody } from './schema.ts'
import { beginStart, bringUpToDate } from './bring-up-to-date.ts'
import { countEntries, putSubscription } from './subscription.ts'
import type { Connection, Fresh, Push, Subscription, WatchedOwner } from '../state.ts'

/**
 * @param answered resolves when the last values may be sent
 * @throws validation_error; not_found for the connection or an asset; forbidden; conflict for too many
 */
export async function addSubscription(
  ctx: Context,
  caller: Caller,
  body: SubscriptionBody,
  answered: Promise<void>,
): Promise<Subscription> {
  const { push } = ctx
  requireUsable(body)
  const requestedBefore = push.revalidation.requested
  const owners = await requireOwners(ctx, caller, body.assets)
  const connection = getConnection(push, caller, body.connectionId)
  requireRoom(push, connection, countEntries(body))
  const subscription = putSubscription(push, { connection, body, owners })
  beginStart(subscription, undefined)
  void answered.then(() => bringUpToDate(ctx, subscription, { owners, isKnown: () => false }))
  revalidateAgain(push, caller, requestedBefore)
  return subscription
}

interface SubscriptionChange {
  id: string
  change: Static<typeof ChangeSubscription>
  answered: Promise<void>
}

/**
 * Fields that the body leaves out stay as they are. Only series that are new to the subscription are brought up to date.
 * @throws as `addSubscription`
 */
export async function replaceSubscription(
  ctx: Context,
  caller: Caller,
  { id, change, answered }: SubscriptionChange,
): Promise<Subscription> {
  const { push } = ctx
  const subscriptionBody = (one: Subscription): SubscriptionBody => ({
    ...one,
    connectionId: one.connection.id,
    ...change,
  })
  const body = subscriptionBody(getSubscription(push, caller, id))
  requireUsable(body)
  const reviewsBefore = push.revalidation.requested
  const owners = await requireOwners(ctx, caller, body.assets)
  // The subscription may have ended, or been changed, while the assets were looked up.
  const before = getSubscription(push, caller, id)
  const connection = getConnection(push, caller, body.connectionId)
  const isMoved = connection !== before.connection || body.topic !== before.topic
  requireRoom(push, connection, countEntries(body), connection === before.connection ? before : undefined)
  const subscription = putSubscription(push, { connection, body, owners, replaced: before })
  const isNew = isMoved || before.start?.pending !== undefined
  const fresh = isNew ? { owners, isKnown: () => false } : findFresh(before, subscription)
  if (fresh.owners.length > 0) {
    beginStart(subscription, isMoved ? undefined : before.start)
    void answered.then(() => bringUpToDate(ctx, subscription, fresh))
  }
  if (fresh.owners.length === 0) subscription.start = before.start
  revalidateAgain(push, caller, reviewsBefore)
  return subscription
}

/** Finds what a changed subscription receives and the former one did not. */
function findFresh(before: Subscription, { owners, names }: Subscription): Fresh {
  const assets = new Set(before.assets)
  const isKnown = (ownerId: string, name: string) => assets.has(ownerId) && (before.names?.has(name) ?? true)
  const hasNewName =
    before.names !== undefined && (names === undefined || [...names].some((name) => !before.names!.has(name)))
  const isFresh = ({ ownerId }: WatchedOwner) => hasNewName || !assets.has(ownerId)
  return { owners: owners.filter(isFresh), isKnown }
}

/** A permission may have been revoked after it was checked and before the subscription was registered. */
function revalidateAgain({ revalidation }: Push, { userId }: Caller, requestedBefore: number): void {
  if (revalidation.requested !== requestedBefore) revalidation.request(`user ${userId}`)
}

/** @throws not_found, also for a subscription of somebody else */
export function getSubscription(push: Push, caller: Caller, id: string): Subscription {
  const subscription = push.subscriptions.get(id.toLowerCase())
  if (!subscription || !isSameCredentials(subscription.connection.credentials, caller))
    throw notFound('subscription', id)
  return subscription
}

/** Returns one more than the page's limit if more follow. */
export function listSubscriptions(push: Push, caller: Caller, { limit, after }: PageRequest): Subscription[] {
  const connections = [...(push.connectionsByUser.get(caller.userId) ?? [])]
  return connections
    .filter(({ credentials }) => isSameCredentials(credentials, caller))
    .flatMap((connection) => [...connection.subscriptions])
    .filter(({ id }) => after === undefined || id > after)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .slice(0, limit + 1)
}

function getConnection(push: Push, caller: Caller, id: string): Connection {
  const connection = push.connections.get(id)
  if (connection && isSameCredentials(connection.credentials, caller)) return connection
  throw new ApiError(
    'not_found',
    `You have no live connection ${id} here. Open one by POST /v1/realtime/negotiate, and subscribe it at the same server.`,
  )
}

function requireRoom(
  { limits, connectionsByUser }: Push,
  connection: Connection,
  added: number,
  replaced?: Subscription,
) {
  if (!replaced && connection.subscriptions.size >= limits.subscriptionsPerConnection)
    throw new ApiError(
      'conflict',
      `A connection has at most ${limits.subscriptionsPerConnection} subscriptions. Delete some, or open another connection.`,
    )
  let entries = added - (replaced ? countEntries(replaced) : 0)
  for (const { entryCount } of connectionsByUser.get(connection.credentials.userId) ?? [])
    entries += entryCount
  if (entries > limits.entriesPerUser)
    throw new ApiError(
      'conflict',
      `Your subscriptions name more than ${limits.entriesPerUser} assets and signals together. Delete some.`,
    )
}
