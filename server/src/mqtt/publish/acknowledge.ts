/** Acknowledges messages in the order in which they arrived, whichever is stored first. [MQTT-4.6.0-2, MQTT-4.6.0-3] */
import { sendAcknowledgement } from '../connection/protocol-version.ts'
import { nothingSent } from './redelivery.ts'
import type { Acknowledgement, Connection, Inbound } from '../state.ts'

export const createInbound = (): Inbound => ({
  sent: nothingSent(),
  waitingMessages: 0,
  waitingBytes: 0,
  acknowledgements: [],
  topicAliases: undefined,
})

export function expectAcknowledgement(
  { inbound }: Connection,
  packetId: number,
  qos: 1 | 2,
): Acknowledgement {
  const acknowledgement: Acknowledgement = { packetId, type: qos === 1 ? 'puback' : 'pubrec', isDue: false }
  inbound.acknowledgements.push(acknowledgement)
  return acknowledgement
}

/** Whether PUBREC for this packet identifier was not sent yet. */
export const isPubrecExpected = ({ inbound }: Connection, packetId: number): boolean =>
  inbound.acknowledgements.some((expected) => expected.type === 'pubrec' && expected.packetId === packetId)

export function acknowledge(
  connection: Connection,
  acknowledgement: Acknowledgement,
  refusal?: Acknowledgement['refusal'],
): void {
  acknowledgement.isDue = true
  if (refusal) acknowledgement.refusal = refusal
  const { acknowledgements } = connection.inbound
  if (acknowledgements[0] !== acknowledgement || connection.phase === 'ended') return
  let count = 0
  while (acknowledgements[count]?.isDue) {
    const { type, packetId, refusal: why } = acknowledgements[count++]!
    sendAcknowledgement(connection, type, packetId, why)
  }
  acknowledgements.splice(0, count)
}
