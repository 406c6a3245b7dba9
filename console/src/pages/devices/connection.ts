import type { Schemas } from '@gangway/client'
import type { StateKind } from '../../parts/StateMark.tsx'

export type Device = Schemas['ProviderClient']

/** State of a device, which is also the key of its word in the catalogue. */
export type DeviceState = 'disabled' | 'imported' | 'never' | 'offline' | 'online'

export function findState({ enabled, connection }: Device): DeviceState {
  if (!enabled) return 'disabled'
  if (connection.connected) return 'online'
  if (connection.disconnectedAt !== null) return 'offline'
  // A device that sends over HTTP has messages, but no connections.
  return connection.lastMessageAt === null ? 'never' : 'imported'
}

export const stateKinds: Record<DeviceState, StateKind> = {
  online: 'good',
  offline: 'bad',
  never: 'off',
  imported: 'off',
  disabled: 'off',
}
