/** A provider event in its two forms: our own, and CloudEvents 1.0 structured. [contract §4, Webhook] */
import Type from 'typebox'
import { validationError } from '../../http/errors.ts'
import { DeviceId } from '../../http/shapes.ts'
import { strictValidator } from '../../http/validate.ts'

export interface ProviderEvent {
  id: string
  deviceId: string
  /** Absent where the provider does not say; then it is taken to have happened just now. */
  occurredAt: Date | undefined
}

const EventId = Type.String({ minLength: 1, maxLength: 256 })
const Time = Type.Optional(Type.String({ format: 'date-time' }))

const checkName = strictValidator(
  Type.Union([
    Type.Object({ event: Type.String() }),
    Type.Object({ specversion: Type.Literal('1.0'), type: Type.String() }),
  ]),
  'body',
)
const checkOwn = strictValidator(Type.Object({ id: EventId, device_id: DeviceId, occurred_at: Time }), 'body')
const checkCloudEvent = strictValidator(Type.Object({ id: EventId, subject: DeviceId, time: Time }), 'body')

interface Own {
  id: string
  device_id: string
  occurred_at?: string
}
interface CloudEvent {
  id: string
  subject: string
  time?: string
}

/**
 * @returns the name of an event, and what reads the rest of it: of an event that we do not know, nothing else is read
 * @throws validation_error
 */
export function readEvent(body: Buffer | undefined): { name: string; read: () => ProviderEvent } {
  const value = jsonOf(body)
  const named = checkName(value) as { event: string } | { type: string }
  if ('event' in named) return { name: named.event, read: () => ownEvent(checkOwn(value) as Own) }
  return { name: named.type, read: () => cloudEvent(checkCloudEvent(value) as CloudEvent) }
}

const ownEvent = ({ id, device_id, occurred_at }: Own): ProviderEvent => ({
  id,
  deviceId: device_id,
  occurredAt: occurred_at === undefined ? undefined : new Date(occurred_at),
})

const cloudEvent = ({ id, subject, time }: CloudEvent): ProviderEvent => ({
  id,
  deviceId: subject,
  occurredAt: time === undefined ? undefined : new Date(time),
})

function jsonOf(body: Buffer | undefined): unknown {
  try {
    return JSON.parse((body ?? Buffer.alloc(0)).toString())
  } catch {
    throw validationError({ path: 'body', message: 'is not JSON' })
  }
}
