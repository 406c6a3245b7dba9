/** Messages on their way to sessions, and the subscriptions that choose them. Both protocol versions share these shapes. */
export type Qos = 0 | 1 | 2

export interface Publication {
  topic: string
  payload: Buffer
  qos: Qos
  retain: boolean
  /** The time after which nobody receives it any more, by the clock of this node. */
  expiresAtMs?: number
  properties?: ForwardedProperties
}

/** The properties of MQTT 5 that go on to subscribers unaltered. [MQTT 5.0, 3.3.2.3] */
export interface ForwardedProperties {
  payloadFormatIndicator?: boolean
  contentType?: string
  responseTopic?: string
  correlationData?: Buffer
  /** Names and values in their order; a name may occur several times. */
  userProperties?: [name: string, value: string][]
}

export interface Subscription {
  filter: string
  qos: Qos
  /** The session does not receive what it publishes itself. */
  noLocal: boolean
  retainAsPublished: boolean
  /** The subscription identifier of MQTT 5. */
  identifier?: number
}
