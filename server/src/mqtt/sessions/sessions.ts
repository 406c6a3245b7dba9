/** The sessions with a connection to this node, by their key and by device. [docs/mqtt#sessions] */
import { matches } from '../topics.ts'
import type { SessionSummary } from './stored/stored-sessions.ts'
import type { DeviceSessions, Receivers, Session } from '../state.ts'

export interface Sessions {
  byKey: Map<string, Session>
  byDevice: Map<string, DeviceSessions>
  /** The kept sessions, by the number of the stored session. */
  byStoredNumber: Map<number, Session>
  /** The ids of the devices in `byDevice`, by `provider_clients.number`. */
  deviceIds: Map<number, string>
}

/** A device publishes on few topics. */
const MAX_CACHED_TOPICS = 16

/** No device can name the session of another: the device id is a part of the key. [docs/mqtt#sessions] */
export const sessionKey = (deviceId: string, clientId: string): string => `${deviceId}/${clientId}`

export const createSessions = (): Sessions => ({
  byKey: new Map(),
  byDevice: new Map(),
  byStoredNumber: new Map(),
  deviceIds: new Map(),
})

export const createDeviceSessions = (number: number): DeviceSessions => ({
  number,
  connected: new Set(),
  others: [],
  receivers: undefined,
  retaining: undefined,
})

export function addSession(sessions: Sessions, session: Session, others: SessionSummary[]): void {
  const { account, clientId, stored, device } = session
  sessions.byKey.set(sessionKey(account.id, clientId), session)
  sessions.deviceIds.set(account.number, account.id)
  if (stored) sessions.byStoredNumber.set(stored.number, session)
  sessions.byDevice.set(account.id, device)
  device.connected.add(session)
  setOthers(sessions, account.id, others)
}

/** @returns whether the device has no other session with a connection to this node */
export function removeSession(sessions: Sessions, session: Session): boolean {
  const { account, clientId, stored } = session
  const key = sessionKey(account.id, clientId)
  if (stored && sessions.byStoredNumber.get(stored.number) === session)
    sessions.byStoredNumber.delete(stored.number)
  if (sessions.byKey.get(key) === session) sessions.byKey.delete(key)
  const device = sessions.byDevice.get(account.id)
  if (!device) return true
  device.connected.delete(session)
  device.receivers = undefined
  if (device.connected.size > 0) return false
  sessions.byDevice.delete(account.id)
  sessions.deviceIds.delete(account.number)
  return true
}

/** @param kept all kept sessions of the device */
export function setOthers({ byDevice }: Sessions, deviceId: string, kept: SessionSummary[]): void {
  const device = byDevice.get(deviceId)
  if (!device) return
  const connected = new Set([...device.connected].map(({ stored }) => stored?.number))
  device.others = kept.filter(({ number }) => !connected.has(number))
  device.receivers = undefined
}

export function findReceivers(device: DeviceSessions, topic: string): Receivers {
  const known = device.receivers?.get(topic)
  if (known) return known
  const receivers = {
    connected: [...device.connected].filter(({ subscriptions }) => anyMatches(subscriptions.keys(), topic)),
    others: device.others.filter(({ subscriptions }) =>
      subscriptions.some(({ filter, qos }) => qos > 0 && matches(filter, topic)),
    ),
  }
  if (!device.receivers || device.receivers.size >= MAX_CACHED_TOPICS) device.receivers = new Map()
  device.receivers.set(topic, receivers)
  return receivers
}

function anyMatches(filters: Iterable<string>, topic: string): boolean {
  for (const filter of filters) if (matches(filter, topic)) return true
  return false
}
