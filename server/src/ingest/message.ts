/** What a device said, as it arrived. */
import type { Parser } from './parsers/parser.ts'
import type { DeadLetterReason } from './unreadable.ts'

/** Who said it: what ingest has to know of a provider client. */
export interface Device {
  /** `provider_clients.number` */
  number: number
  id: string
  tenantId: string
  /** `tenants.number` */
  tenantNumber: number
  providerId: string
  /** Reads its telemetry. [docs/providers#payload-parsers] */
  parse: Parser
}

export interface DeviceMessage {
  device: Device
  topic: string
  payload: Buffer
  receivedAtMs: number
  /** The MQTT packet identifier; 0 for QoS 0 and wills, which have none. */
  packetId: number
  /** It may be stored already: sent again, as the device says (DUP) or its packet identifiers tell, or tried again by us. */
  isRepeat: boolean
  /** Called when it is kept as a dead letter, before its sender hears that it is durable. */
  onDeadLetter?(letter: DeadLetter): void
}

/** A message that was acknowledged and could not be stored. */
export interface DeadLetter {
  message: DeviceMessage
  reason: DeadLetterReason
  /** What the sender has to mend. */
  text: string
}
