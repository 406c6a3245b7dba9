import { isUtf8 } from 'node:buffer'
import Type from 'typebox'
import { formatTimestamp, Nullable, Timestamp, Uuid } from '../../http/shapes.ts'
import type { DeadLetterRow } from './store.ts'

export const DeadLetter = Type.Object(
  {
    id: Uuid,
    receivedAt: Timestamp,
    topic: Type.String(),
    reason: Type.String({ description: 'A stable code, such as not_json' }),
    message: Type.String({ description: 'What the device has to change' }),
    traceparent: Nullable(
      Type.String({ description: 'The W3C trace that the device named with the message, on MQTT 5' }),
    ),
    payload: Type.String({
      description: 'As text, or as base64 if it is not UTF-8. A list shows its beginning.',
    }),
    payloadEncoding: Type.Union([Type.Literal('utf8'), Type.Literal('base64')]),
    payloadBytes: Type.Integer({ description: 'Size of the whole payload' }),
  },
  { title: 'DeadLetter' },
)

export const deadLetterShape = (row: DeadLetterRow) => ({
  id: row.id,
  receivedAt: formatTimestamp(row.received_at),
  topic: row.topic,
  reason: row.reason,
  message: row.message,
  traceparent: row.traceparent,
  ...payloadShape(row.payload),
  payloadBytes: row.payload_bytes,
})

const payloadShape = (payload: Buffer) =>
  isUtf8(payload)
    ? { payload: payload.toString(), payloadEncoding: 'utf8' as const }
    : { payload: payload.toString('base64'), payloadEncoding: 'base64' as const }
