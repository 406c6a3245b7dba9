import Type from 'typebox'
import type { Context } from '../../context.ts'
import { permission } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import { route, type Route } from '../../http/route.ts'
import { Nullable, Timestamp } from '../../http/shapes.ts'
import { ClientPath } from '../../providers/clients/schema.ts'
import { getClient } from '../../providers/clients/store.ts'
import { describeLimits, limitUnits } from './describe-limits.ts'
import { limitOutcomes } from './limit-advice.ts'
import { type StoredLimitEvent, listLimitEvents } from './store.ts'

const LimitEvents = Type.Object(
  {
    outcome: Type.Enum([...limitOutcomes], {
      description: 'What the limit did; `delayed` means that the device was not read for some time',
    }),
    count: Type.Integer({ description: 'How many messages, connections or delays' }),
    bytes: Type.Integer({ description: 'Payload bytes of messages that were dropped or refused' }),
    delayMs: Type.Integer({ description: 'How long the device was not read, in milliseconds' }),
    firstAt: { ...Timestamp, description: 'When the limit first applied' },
    lastAt: { ...Timestamp, description: 'When it last applied' },
    message: Type.String({ description: 'What happened last, and what to do' }),
  },
  { title: 'LimitEvents' },
)

const ClientLimits = Type.Object(
  {
    limits: Type.Array(
      Type.Object(
        {
          limit: Type.String({ description: 'The name of the limit' }),
          value: Nullable(
            Type.Integer({
              description: 'Null for no limit, or for one that the device or a sender chooses',
            }),
          ),
          unit: Type.Enum([...limitUnits], { description: 'What is counted' }),
          description: Type.String({ description: 'What the limit is for, and what is beyond it' }),
          events: Type.Array(LimitEvents, {
            description: 'What was delayed, dropped or refused because of it',
          }),
        },
        { title: 'ClientLimit' },
      ),
      { description: 'All limits of a device over MQTT' },
    ),
  },
  { title: 'ClientLimits' },
)

/** The ledger of a device. [docs/mqtt#ledger] */
export const limitRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/clients/{clientId}/limits',
    operationId: 'getClientLimits',
    summary: 'Get the MQTT limits of a client, and what they delayed, dropped or refused, when and why',
    access: permission('view', 'provider_client', (p) => p.clientId!),
    params: ClientPath,
    response: { 200: ClientLimits },
    refuses: [409],
    handler: async ({ params, caller }) => {
      const client = await getClient(ctx.db, { ...params, tenantId: caller.tenantId })
      if (!client.on_broker)
        throw new ApiError(
          'conflict',
          `The limits of MQTT do not apply to ${client.id}: clients of its provider do not connect here.`,
        )
      const rows = await listLimitEvents(ctx.db, client.number)
      const limits = describeLimits(ctx.config).map((described) => ({
        ...described,
        events: rows.filter((row) => row.limit_name === described.limit).map(eventsShape),
      }))
      return { limits }
    },
  }),
]

const eventsShape = ({ outcome, message, ...row }: StoredLimitEvent) => ({
  outcome,
  count: Number(row.count),
  bytes: Number(row.bytes),
  delayMs: Number(row.delay_ms),
  firstAt: row.first_at.toISOString(),
  lastAt: row.last_at.toISOString(),
  message,
})
