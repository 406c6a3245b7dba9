/** Packets for sequences: what a device sends, and what it gets. Topics are below `devices/{deviceId}/`. */
import { expect } from 'vitest'
import type { Connect, Publish } from '../wire/encode.ts'
import type { Text } from '../wire/fields.ts'
import type { Properties, PropertyName, PropertyValue } from '../wire/properties.ts'

export const MALFORMED = 0x81
export const PROTOCOL_ERROR = 0x82
export const NOT_AUTHORIZED = 0x87

/** A session that outlives its connection, in both versions. */
export const kept = { clean: false, properties: [['sessionExpiryInterval', 60]] as Properties }

export const connect = (options: Partial<Connect> = {}): Connect => ({
  type: 'connect',
  clientId: 'x',
  ...options,
})

type Options = Partial<Omit<Publish, 'type' | 'topic' | 'payload'>>

export const publish = (topic: Text, payload: Text = '', options: Options = {}) =>
  ({ type: 'publish', topic, payload, ...options }) as const
/** A message with QoS 1. */
export const publish1 = (id: number, topic: Text, payload: Text = '', options: Options = {}) =>
  publish(topic, payload, { qos: 1, id, ...options })
/** A message with QoS 2. */
export const publish2 = (id: number, topic: Text, payload: Text = '', options: Options = {}) =>
  publish(topic, payload, { qos: 2, id, ...options })

interface Coded {
  code?: number
  properties?: Properties
}
export const puback = (id: number, options: Coded = {}) => ({ type: 'puback', id, ...options }) as const
export const pubrec = (id: number, options: Coded = {}) => ({ type: 'pubrec', id, ...options }) as const
export const pubrel = (id: number, options: Coded = {}) => ({ type: 'pubrel', id, ...options }) as const
export const pubcomp = (id: number, options: Coded = {}) => ({ type: 'pubcomp', id, ...options }) as const
export const pingreq = { type: 'pingreq' } as const
export const pingresp = { type: 'pingresp' } as const
export const disconnect = (options: Coded = {}) => ({ type: 'disconnect', ...options }) as const

export const subscribe = (id: number, ...filters: [filter: Text, options: number][]) =>
  ({ type: 'subscribe', id, filters }) as const
export const unsubscribe = (id: number, ...filters: Text[]) => ({ type: 'unsubscribe', id, filters }) as const
/** @param codes those of MQTT 5; 3.1.1 says 0x80 for each refusal */
export const suback = (id: number, ...codes: number[]) => ({ type: 'suback', id, codes }) as const
/** @param codes of MQTT 5 alone */
export const unsuback = (id: number, ...codes: number[]) => ({ type: 'unsuback', id, codes }) as const

/** A message that arrives. The test names what matters of it. */
export const message = (topic: string, payload: string, options: Record<string, unknown> = {}) => ({
  type: 'publish' as const,
  topic,
  payload,
  ...options,
})

/** Properties of which these are some. */
const withProperties = (...properties: [PropertyName, PropertyValue | unknown][]) => ({
  properties: expect.arrayContaining(
    properties.map((property) => expect.objectContaining(property)),
  ) as unknown,
})
export const withReason = withProperties(['reasonString', expect.any(String)])

/** Subscription options of MQTT 5, beside the QoS. [MQTT 5.0, 3.8.3.1] */
export const NO_LOCAL = 0x04
export const RETAIN_AS_PUBLISHED = 0x08
export const RETAINED_IF_NEW = 0x10
export const NO_RETAINED = 0x20

/** The packet identifier of the nth message with QoS 1 or 2 that the connection of this name got. */
export const received = (nth: number) => -nth

/** One of these values. */
export const anyOf = <T>(...values: T[]): unknown => expect.toBeOneOf(values)
