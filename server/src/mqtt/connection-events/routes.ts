/** [docs/mqtt#connection-events] */
import Type from 'typebox'
import type { Context } from '../../context.ts'
import type { ConnectionEventRow } from '../../database/tables/activity.ts'
import { pageAfter } from '../../database/page.ts'
import { permission } from '../../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { Nullable, Timestamp, Uuid } from '../../http/shapes.ts'
import { ClientPath } from '../../providers/clients/schema.ts'
import { getClient } from '../../providers/clients/store.ts'

const ConnectionEvent = Type.Object(
  {
    id: Uuid,
    event: Type.Enum(['connected', 'disconnected'], { description: 'What happened' }),
    at: { ...Timestamp, description: 'When the server noticed it' },
    reason: Nullable(Type.String({ description: 'Why the connection ended, as a code' })),
    message: Nullable(Type.String({ description: 'The same as a sentence' })),
    protocol: Nullable(Type.String({ description: 'Version of MQTT: 3.1, 3.1.1 or 5' })),
    transport: Nullable(Type.String({ description: '`tcp`, `tls` or `websocket`' })),
    tlsVersion: Nullable(Type.String({ description: 'Null without TLS at this server' })),
    address: Nullable(Type.String({ description: 'Address of the device' })),
    clientId: Nullable(Type.String({ description: 'The MQTT client id' })),
    resumed: Nullable(Type.Boolean({ description: 'Whether a kept session was resumed' })),
  },
  { title: 'ConnectionEvent' },
)

const EventQuery = Type.Object({
  ...PlatformPageQuery.properties,
  after: Type.Optional({
    ...Uuid,
    description: 'Only events that are newer than the one with this id, for asking again',
  }),
})

const connectionEventShape = (row: ConnectionEventRow) => ({
  id: row.id,
  event: row.event,
  at: row.at.toISOString(),
  reason: row.reason,
  message: row.message,
  protocol: row.protocol,
  transport: row.transport,
  tlsVersion: row.tls_version,
  address: row.address,
  clientId: row.client_id,
  resumed: row.resumed,
})

/** Events of this node are written before they are read. */
export const connectionEventRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/clients/{clientId}/connections',
    operationId: 'listConnectionEvents',
    summary: 'List the last 100 connections of a client and why they ended, the newest first',
    access: permission('view', 'provider_client', (p) => p.clientId!),
    params: ClientPath,
    query: EventQuery,
    response: { 200: Type.Array(ConnectionEvent) },
    handler: async ({ params, query, caller, request }) => {
      const page = pageRequest(query, isUuid)
      const { number } = await getClient(ctx.db, { tenantId: caller.tenantId, ...params })
      await ctx.connectionEvents.flush()
      const events = ctx.db
        .selectFrom('connection_events')
        .selectAll()
        .where('client_number', '=', number)
        .$if(query.after !== undefined, (q) => q.where('id', '>', query.after!))
      const rows = await pageAfter(events, 'id', page, 'desc')
      return platformPage({ rows, limit: page.limit, shape: connectionEventShape, request })
    },
  }),
]
