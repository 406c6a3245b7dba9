import type { LimitName } from '../limits/limit-advice.ts'

/** Reason codes of MQTT 5. [MQTT 5.0, 2.4] */
export const ReasonCode = {
  success: 0x00,
  disconnectWithWill: 0x04,
  noMatchingSubscribers: 0x10,
  noSubscriptionExisted: 0x11,
  unspecifiedError: 0x80,
  malformedPacket: 0x81,
  protocolError: 0x82,
  implementationSpecificError: 0x83,
  unsupportedProtocolVersion: 0x84,
  clientIdNotValid: 0x85,
  badUserNameOrPassword: 0x86,
  notAuthorized: 0x87,
  serverUnavailable: 0x88,
  serverBusy: 0x89,
  serverShuttingDown: 0x8b,
  badAuthenticationMethod: 0x8c,
  keepAliveTimeout: 0x8d,
  sessionTakenOver: 0x8e,
  topicFilterInvalid: 0x8f,
  packetIdNotFound: 0x92,
  receiveMaximumExceeded: 0x93,
  topicAliasInvalid: 0x94,
  packetTooLarge: 0x95,
  messageRateTooHigh: 0x96,
  quotaExceeded: 0x97,
  administrativeAction: 0x98,
  payloadFormatInvalid: 0x99,
  sharedSubscriptionsNotSupported: 0x9e,
} as const

export type ReasonCode = (typeof ReasonCode)[keyof typeof ReasonCode]

/** A packet breaks the protocol. The connection ends, on MQTT 5 with the code and the message. */
export class PacketError extends Error {
  constructor(
    readonly code: ReasonCode,
    message: string,
    /** The limit that the packet exceeds, to be recorded. */
    readonly limit?: LimitName,
  ) {
    super(message)
  }
}

export const malformed = (message: string) => new PacketError(ReasonCode.malformedPacket, message)
export const protocolError = (message: string) => new PacketError(ReasonCode.protocolError, message)
