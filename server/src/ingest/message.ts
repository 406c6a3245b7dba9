/** Messages from devices, as they arrived. */
import type { Parser } from './parsers/parser.ts'
import type { DeadLetterReason } from './unreadable.ts'

/** The sending device: the fields of a provider client that ingest needs. */
export interface Device {
  /** `provider_clients.number` */
  number: number
  id: string
  tenantId: string
  /** `tenants.number` */
  tenantNumber: number
  providerId: string
  /** Parses its telemetry. [docs/providers#payload-parsers] */
  parse: Parser
}

/** A stored session since it was opened last: each opening has a generation. */
export interface SenderSession {
  number: number
  generation: number
}

export interface DeviceMessage {
  device: Device
  topic: string
  payload: Buffer
  receivedAtMs: number
  /** The MQTT packet identifier; 0 for QoS 0 and wills, which have none. */
  packetId: number
  /** Identifies a message without a packet identifier that may come twice: that of a batch in the stream. */
  arrivalKey?: string
  /**
   * The message may be stored already: it was sent again, as its DUP flag or packet identifier shows, or this process
   * retries it.
   */
  isRepeat: boolean
  /** The message waited in the stream: how late its samples are is measured at its arrival. [docs/stream#alarms] */
  hasWaited?: true
  /** The session whose device sends the message again if it is not acknowledged; absent where none is stored. */
  sender?: SenderSession
  /** The message was imported, perhaps once more on purpose: what bindings make of it now is added to what is stored. */
  isImported?: true
  /** The W3C trace that the device named. It goes on with what the message causes. */
  traceparent?: string
  /** Called when the message is kept as a dead letter, before its sender learns that it is durable. */
  onDeadLetter?(letter: DeadLetter): void
}

/** A message that was acknowledged and could not be stored. */
export interface DeadLetter {
  message: DeviceMessage
  reason: DeadLetterReason
  /** Tells the sender what to correct. */
  text: string
}
