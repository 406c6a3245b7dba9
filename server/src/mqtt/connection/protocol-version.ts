/** The differences between MQTT 3.1.1 and MQTT 5 in what the server sends. The handlers of packets are the same for both. */
import { generate, type IConnackPacket, type Packet, writeToStream } from 'mqtt-packet'
import { writePacket, writeShort } from './output.ts'
import { ReasonCode } from './reason-codes.ts'
import type { Connection } from '../state.ts'

// Otherwise the library keeps a buffer for each number of two bytes, for packets that we write ourselves.
writeToStream.cacheNumbers = false

/** CONNACK codes of MQTT 3.1.1 [3.2.2.3]; a reason that has none closes the connection without an answer. */
const returnCodes: Partial<Record<ReasonCode, number>> = {
  [ReasonCode.success]: 0,
  [ReasonCode.unsupportedProtocolVersion]: 1,
  [ReasonCode.clientIdNotValid]: 2,
  [ReasonCode.serverUnavailable]: 3,
  [ReasonCode.serverBusy]: 3,
  [ReasonCode.quotaExceeded]: 3,
  [ReasonCode.badUserNameOrPassword]: 4,
  [ReasonCode.notAuthorized]: 5,
}

type ConnackProperties = NonNullable<IConnackPacket['properties']>

export function sendConnack(
  connection: Connection,
  {
    code,
    sessionPresent = false,
    properties,
  }: { code: ReasonCode; sessionPresent?: boolean; properties: ConnackProperties },
): void {
  if (connection.version === 5)
    return send(connection, { cmd: 'connack', reasonCode: code, sessionPresent, properties })
  const returnCode = returnCodes[code]
  if (returnCode !== undefined) send(connection, { cmd: 'connack', returnCode, sessionPresent })
}

const acknowledgementTypes = { puback: 0x40, pubrec: 0x50, pubrel: 0x62, pubcomp: 0x70 }
export type AcknowledgementType = keyof typeof acknowledgementTypes

/** A success has the same four bytes in all versions. Before MQTT 5 there is no other answer. */
export function sendAcknowledgement(
  connection: Connection,
  type: AcknowledgementType,
  packetId: number,
  refusal?: { code: ReasonCode; message: string },
): void {
  if (!refusal || connection.version < 5)
    return writeShort(connection.output, acknowledgementTypes[type], packetId)
  const { code, message } = refusal
  send(connection, { cmd: type, messageId: packetId, reasonCode: code, ...withReason(connection, message) })
}

export interface Grant {
  code: number
  message?: string
}

/** @param grants one for each filter, in order: the granted QoS or the code of a refusal */
export function sendSuback(connection: Connection, packetId: number, grants: Grant[]): void {
  const isNew = connection.version === 5
  const message = grants.flatMap(({ message: text }) => text ?? []).join(' ')
  send(connection, {
    cmd: 'suback',
    messageId: packetId,
    granted: grants.map(({ code }) => (isNew || code < 0x80 ? code : 0x80)),
    ...(message && withReason(connection, message)),
  })
}

/** @param codes one for each filter */
export const sendUnsuback = (connection: Connection, packetId: number, codes: ReasonCode[]): void =>
  send(connection, { cmd: 'unsuback', messageId: packetId, granted: codes })

/** Only MQTT 5 has a DISCONNECT of the server. */
export function sendDisconnect(connection: Connection, code: ReasonCode, message: string): void {
  if (connection.version === 5)
    send(connection, {
      cmd: 'disconnect',
      reasonCode: code,
      properties: { reasonString: reasonString(message) },
    })
}

export const sendPingresp = (connection: Connection): void => writePacket(connection.output, PINGRESP)
const PINGRESP = Buffer.of(0xd0, 0)

/** Leaves the reason string out where it would make the packet too large for the client. [MQTT-3.1.2-24] */
function send({ output, version, clientLimits }: Connection, packet: Packet): void {
  const protocolVersion = version === 5 ? 5 : 4
  const bytes = generate(packet, { protocolVersion })
  if (bytes.length <= (clientLimits?.maximumPacketSize ?? Infinity)) return writePacket(output, bytes)
  const properties = { ...('properties' in packet && packet.properties), reasonString: undefined }
  writePacket(output, generate({ ...packet, properties } as Packet, { protocolVersion }))
}

const withReason = ({ clientLimits }: Connection, message: string) =>
  clientLimits?.wantsReasons === false ? {} : { properties: { reasonString: reasonString(message) } }

/** A reason may quote what the device sent; the packet stays small for devices with little memory. */
const MAX_REASON_LENGTH = 400
export const reasonString = (message: string): string =>
  message.length <= MAX_REASON_LENGTH ? message : `${message.slice(0, MAX_REASON_LENGTH)}…`.toWellFormed()
