/**
 * A subscription ends when its user loses the view permission, and a connection ends when its sign-in does.
 * [docs/push#access] The database announces the changes that may cause this, whichever node made them. A periodic check
 * of all connections covers announcements that were lost.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Principals } from '../../access/sign-in/principals.ts'
import type { Caller } from '../../http/access.ts'
import { inLanes } from '../../lib/in-lanes.ts'
import { channel } from '../../nodes/channel.ts'
import type { Runtime } from '../../runtime.ts'
import { endConnection, REFUSED } from '../connections/connection.ts'
import { findCaller } from '../connections/credentials.ts'
import { endSubscription } from './end-subscription.ts'
import { visibleOwners } from './owners.ts'
import type { Connection, Push, Revalidation, Scope } from '../state.ts'

/** Published by triggers of the database. */
const accessChanged = channel<{ scope: Scope }>('gangway_access_changed', {
  read: (payload) => ({ scope: payload as Scope }),
  isByDatabase: true,
})

const LANES = 4
/** The pause between two checks, for when thousands of permissions are revoked one by one. */
const PAUSE_MS = 200

type Needs = Pick<Runtime, 'db' | 'pool' | 'log' | 'nodes'> & { principals: Principals }

/** @param findPush returns the push state, which is created after its revalidation */
export function createRevalidation(ctx: Needs, findPush: () => Push): Revalidation {
  const waiting = new Set<string>()
  let isRunning = false

  async function run() {
    if (isRunning) return
    isRunning = true
    let isBusy = false
    while (waiting.size > 0) {
      if (isBusy) await sleep(PAUSE_MS, undefined, { ref: false })
      isBusy = true
      const scopes = new Set(waiting)
      waiting.clear()
      await revalidateAll({ ...ctx, push: findPush() }, scopes).catch((error: unknown) =>
        ctx.log.warn({ err: error }, 'permissions of live subscriptions could not be reviewed'),
      )
    }
    isRunning = false
  }

  const revalidation: Revalidation = {
    requested: 0,
    request(scope) {
      revalidation.requested++
      waiting.add(scope)
      void run()
    },
  }
  accessChanged.subscribe(ctx, {
    onMessage: ({ scope }) => revalidation.request(scope),
    onReconnect: () => revalidation.request('everything'),
  })
  return revalidation
}

type RevalidationContext = Needs & { push: Push }

async function revalidateAll(ctx: RevalidationContext, scopes: Set<string>): Promise<void> {
  const isAsked = ({ credentials: { tenantId, userId } }: Connection) =>
    scopes.has('everything') || scopes.has(`tenant ${tenantId}`) || scopes.has(`user ${userId}`)
  const users = [...ctx.push.connectionsByUser.values()]
    .map((connections) => [...connections].filter(isAsked))
    .filter((connections) => connections.length > 0)
  await inLanes(users, { lanes: LANES }, (connections) => revalidateUser(ctx, connections))
}

/** @param connections the connections of one user */
async function revalidateUser(ctx: RevalidationContext, connections: Connection[]): Promise<void> {
  const { push } = ctx
  const callers = await Promise.all(connections.map(({ credentials }) => findCaller(ctx, credentials)))
  connections.forEach((connection, index) => {
    if (!callers[index]) endConnection(push, connection, REFUSED, 'The sign-in has ended.')
  })
  const byLimits = new Map<string, { caller: Caller; own: Connection[] }>()
  callers.forEach((caller, index) => {
    if (!caller) return
    // Tokens for dashboards see less than their user, each of them something else.
    const key = (caller.shown && caller.tokenId) ?? ''
    const group = byLimits.get(key) ?? { caller, own: [] }
    group.own.push(connections[index]!)
    byLimits.set(key, group)
  })
  for (const { caller, own } of byLimits.values()) await revalidateSubscriptions(ctx, caller, own)
}

async function revalidateSubscriptions(ctx: RevalidationContext, caller: Caller, connections: Connection[]) {
  const { push } = ctx
  const subscriptions = connections.flatMap((connection) => [...connection.subscriptions])
  if (subscriptions.length === 0) return
  const visible = { asset: new Set<string>(), client: new Set<string>() }
  for (const type of ['asset', 'client'] as const) {
    const owners = subscriptions.flatMap((subscription) => subscription.owners)
    const ids = new Set(owners.filter((owner) => owner.ownerType === type).map((owner) => owner.ownerId))
    visible[type] = await visibleOwners(ctx, caller, type, [...ids])
  }
  for (const subscription of subscriptions) {
    if (push.subscriptions.get(subscription.id) !== subscription) continue
    const lost = subscription.owners.find(({ ownerType, ownerId }) => !visible[ownerType].has(ownerId))
    if (lost) endSubscription(push, subscription, `You may no longer view ${lost.ownerId}.`)
  }
}
