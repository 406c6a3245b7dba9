/** A provider event in its two forms: our own, and CloudEvents 1.0 structured. [docs/onboarding#provider-events] */
import { isUtf8 } from 'node:buffer'
import Type, { type Static } from 'typebox'
import { validationError } from '../../http/errors.ts'
import { DeviceId } from '../../http/shapes.ts'
import { strictValidator } from '../../http/validate.ts'

export interface ProviderEvent {
  id: string
  deviceId: string
  /** Absent where the provider does not say; then it is taken to have happened just now. */
  occurredAt: Date | undefined
}

const EventName = Type.Union([
  Type.Object({ event: Type.String() }),
  Type.Object({ specversion: Type.Literal('1.0'), type: Type.String() }),
])
const DeviceEvent = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 256 }),
  device_id: DeviceId,
  occurred_at: Type.Optional(Type.String({ format: 'date-time' })),
})

const checkName = strictValidator(EventName, 'body')
const checkDeviceEvent = strictValidator(DeviceEvent, 'body')

/**
 * @returns the name of an event, and what reads the rest of it: of an event that we do not know, nothing else is read
 * @throws validation_error
 */
export function readEvent(body: Buffer | undefined): { name: string; read: () => ProviderEvent } {
  const value = jsonOf(body)
  const { event: name, ...fields } = inOurForm(checkName(value) as Static<typeof EventName>, value as object)
  return { name, read: () => deviceEvent(fields) }
}

/** A CloudEvent has the same under other names. */
function inOurForm(named: Static<typeof EventName>, fields: { subject?: unknown; time?: unknown }) {
  if ('event' in named) return { ...fields, event: named.event }
  return { ...fields, event: named.type, device_id: fields.subject, occurred_at: fields.time }
}

function deviceEvent(fields: object): ProviderEvent {
  const { id, device_id, occurred_at } = checkDeviceEvent(fields) as Static<typeof DeviceEvent>
  return {
    id,
    deviceId: device_id,
    occurredAt: occurred_at === undefined ? undefined : new Date(occurred_at),
  }
}

function jsonOf(body: Buffer | undefined): unknown {
  const bytes = body ?? Buffer.alloc(0)
  try {
    if (isUtf8(bytes)) return JSON.parse(bytes.toString())
  } catch {
    // Refused below.
  }
  throw validationError({ path: 'body', message: 'is not JSON in UTF-8' })
}
