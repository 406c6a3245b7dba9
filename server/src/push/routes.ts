/** [docs/push] */
import type { ServerResponse } from 'node:http'
import Type from 'typebox'
import type { Context } from '../context.ts'
import { user } from '../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../http/page.ts'
import { route, type Route } from '../http/route.ts'
import { formatTimestamp, Uuid } from '../http/shapes.ts'
import { issueNegotiated } from './connections/credentials.ts'
import {
  ChangeSubscription,
  CreateSubscription,
  NegotiatedConnection,
  SubscriptionRecord,
} from './subscriptions/schema.ts'
import { deleteSubscription } from './subscriptions/subscription.ts'
import {
  addSubscription,
  getSubscription,
  listSubscriptions,
  replaceSubscription,
} from './subscriptions/change-subscriptions.ts'
import { clientPath } from './connections/upgrade.ts'
import { subscriptionShape } from './subscriptions/subscription.ts'

const SubscriptionPath = Type.Object({ subscriptionId: Uuid })

export const pushRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/realtime/negotiate',
    operationId: 'negotiateConnection',
    summary: 'Get the address and a token for a real-time connection',
    access: user(),
    forDashboards: true,
    readsOnly: true,
    secret: true,
    response: { 200: NegotiatedConnection },
    handler: async ({ caller, request }) => {
      const base = ctx.config.publicUrl ?? `${request.protocol}://${request.host}`
      return {
        url: base.replace(/^http/, 'ws') + clientPath,
        accessToken: await issueNegotiated(ctx, caller),
        expiresAt: formatTimestamp(caller.expiresAt),
      }
    },
  }),
  route({
    method: 'POST',
    url: '/v1/realtime/subscriptions',
    summary: 'Subscribe a live connection to the telemetry or the alarms of assets, for 600 seconds',
    access: user(),
    forDashboards: true,
    readsOnly: true,
    body: CreateSubscription,
    response: { 201: SubscriptionRecord },
    handler: async ({ body, caller, reply }) =>
      subscriptionShape(await addSubscription(ctx, caller, body, answered(reply.raw))),
  }),
  route({
    method: 'GET',
    url: '/v1/realtime/subscriptions',
    summary: "List the caller's subscriptions",
    access: user(),
    query: PlatformPageQuery,
    response: { 200: Type.Array(SubscriptionRecord) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isUuid)
      const found = listSubscriptions(ctx.push, caller, page)
      return platformPage({ rows: found, limit: page.limit, shape: subscriptionShape, request })
    },
  }),
  route({
    method: 'PUT',
    url: '/v1/realtime/subscriptions/{subscriptionId}',
    summary: 'Change a subscription, or only restart its 600 seconds',
    access: user(),
    forDashboards: true,
    readsOnly: true,
    params: SubscriptionPath,
    body: ChangeSubscription,
    response: { 200: SubscriptionRecord },
    handler: async ({ params, body, caller, reply }) =>
      subscriptionShape(
        await replaceSubscription(ctx, caller, {
          id: params.subscriptionId,
          change: body,
          answered: answered(reply.raw),
        }),
      ),
  }),
  route({
    method: 'DELETE',
    url: '/v1/realtime/subscriptions/{subscriptionId}',
    summary: 'End a subscription, and return its last record',
    access: user(),
    forDashboards: true,
    readsOnly: true,
    params: SubscriptionPath,
    response: { 200: SubscriptionRecord },
    handler: async ({ params, caller }) => {
      const subscription = getSubscription(ctx.push, caller, params.subscriptionId)
      deleteSubscription(ctx.push, subscription)
      return subscriptionShape(subscription)
    },
  }),
]

/** The last values are sent after the answer, so that the client knows the subscription that they belong to. */
const answered = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (response.closed) resolve()
    else response.once('close', resolve)
  })
