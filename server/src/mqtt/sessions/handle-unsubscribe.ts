import type { IUnsubscribePacket } from 'mqtt-packet'
import { sendUnsuback } from '../connection/protocol-version.ts'
import { ReasonCode } from '../connection/reason-codes.ts'
import type { GatewayParts } from '../gateway-parts.ts'
import { guardStorage } from './outbox.ts'
import type { Session } from '../state.ts'

export function handleUnsubscribe(parts: GatewayParts, session: Session, packet: IUnsubscribePacket): void {
  parts.backlog.during(session.connection, 0, unsubscribe(parts, session, packet))
}

/** UNSUBACK follows also where there was no subscription. [MQTT-3.10.4-5] */
async function unsubscribe(
  parts: GatewayParts,
  session: Session,
  { messageId, unsubscriptions }: IUnsubscribePacket,
): Promise<void> {
  const { stored, subscriptions } = session
  const codes = unsubscriptions.map((filter) =>
    subscriptions.delete(filter) ? ReasonCode.success : ReasonCode.noSubscriptionExisted,
  )
  session.device.receivers = undefined
  if (stored && codes.includes(ReasonCode.success)) {
    const saved = parts.storedSessions.saveSubscriptions(stored, subscriptions.values())
    if (!(await guardStorage(parts, session, saved))) return
  }
  sendUnsuback(session.connection, messageId!, codes)
}
