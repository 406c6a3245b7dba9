/** Reads a provider event in either form: Gangway's own, or CloudEvents 1.0 in structured mode. [docs/onboarding#provider-events] */
import { isUtf8 } from 'node:buffer'
import Type, { type Static } from 'typebox'
import { validationError } from '../../http/errors.ts'
import { DeviceId } from '../../http/shapes.ts'
import { strictValidator } from '../../http/validate.ts'

export interface ProviderEvent {
  id: string
  deviceId: string
  /** Undefined if the provider does not say; the event is then taken to have happened now. */
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
 * @returns the name of the event and a function that reads the rest, which is not called for unknown events
 * @throws validation_error
 */
export function readEvent(body: Buffer | undefined): { name: string; read: () => ProviderEvent } {
  const value = parseJson(body)
  const { event: name, ...fields } = toOwnForm(checkName(value) as Static<typeof EventName>, value as object)
  return { name, read: () => readDeviceEvent(fields) }
}

/** A CloudEvent has the same fields under other names. */
function toOwnForm(named: Static<typeof EventName>, fields: { subject?: unknown; time?: unknown }) {
  if ('event' in named) return { ...fields, event: named.event }
  return { ...fields, event: named.type, device_id: fields.subject, occurred_at: fields.time }
}

function readDeviceEvent(fields: object): ProviderEvent {
  const { id, device_id, occurred_at } = checkDeviceEvent(fields) as Static<typeof DeviceEvent>
  return {
    id,
    deviceId: device_id,
    occurredAt: occurred_at === undefined ? undefined : new Date(occurred_at),
  }
}

function parseJson(body: Buffer | undefined): unknown {
  const bytes = body ?? Buffer.alloc(0)
  try {
    if (isUtf8(bytes)) return JSON.parse(bytes.toString())
  } catch {
    // Refused below.
  }
  throw validationError({ path: 'body', message: 'is not JSON in UTF-8' })
}
