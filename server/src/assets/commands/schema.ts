import Type, { type Static } from 'typebox'
import { Nullable, SuppliedId, Timestamp, formatTimestamp, Uuid } from '../../http/shapes.ts'
import type { CommandRow } from '../../database/tables/commands.ts'

export const AssetPath = Type.Object({ assetId: SuppliedId })
export const CommandPath = Type.Object({
  assetId: SuppliedId,
  commandName: Type.String({ minLength: 1, maxLength: 512, description: 'As the model names it' }),
})

const ComponentId = Type.String({ maxLength: 512 })
const componentField = {
  componentId: Type.Optional({
    ...Nullable(ComponentId),
    description: 'The component that has the command; the asset itself if absent',
  }),
}
/** In a query there is no null. */
export const ComponentQuery = Type.Object({ componentId: Type.Optional(ComponentId) })

export const SendCommand = Type.Object({
  payload: Type.Optional(Type.Unknown({ description: "Matches the request schema of the model's command" })),
  ...componentField,
  expiresAfterSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 604_800,
      default: 0,
      description: 'Seconds to wait for an offline device; 0: it fails at once',
    }),
  ),
})
export type SendCommand = Static<typeof SendCommand>

export const CancelCommand = Type.Object({
  commandId: Type.Optional({ ...Nullable(Uuid), description: 'The latest queued one if absent' }),
  ...componentField,
})

export const CommandRecord = Type.Object(
  {
    commandId: Uuid,
    requestTimestamp: Timestamp,
    responseTimestamp: Nullable(Timestamp),
    status: Type.Enum(['queued', 'running', 'succeeded', 'failed', 'timed_out', 'expired', 'cancelled']),
    statusMessage: Nullable(Type.String()),
    requestPayload: Type.Unknown(),
    responsePayload: Type.Unknown(),
    correlationId: Uuid,
  },
  { title: 'CommandStatus' },
)

/** [docs/assets#commands] */
export const commandShape = (row: CommandRow) => ({
  commandId: row.id,
  requestTimestamp: row.requested_at.toISOString(),
  responseTimestamp: formatTimestamp(row.responded_at),
  status: row.status,
  statusMessage: row.status_message,
  requestPayload: row.request_payload,
  responsePayload: row.response_payload,
  correlationId: row.correlation_id,
})
