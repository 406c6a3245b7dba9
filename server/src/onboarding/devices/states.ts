import type { Transition } from '../../lib/state-table.ts'

type DeviceState = 'registered' | 'provisioned' | 'deleted'
type DeviceEvent = 'add' | 'provision' | 'softDelete'

/**
 * State transitions of a device. Removing a device deletes its record in any state, so it has no row here.
 * [docs/onboarding#device-states]
 */
export const transitions: Transition<DeviceState, DeviceEvent>[] = [
  /** Adding a soft-deleted device, alone or in bulk, registers it again. */
  { from: 'deleted', event: 'add', to: 'registered' },
  { from: 'registered', event: 'provision', to: 'provisioned' },
  /** The provider event device.deleted keeps the record. */
  { from: 'registered', event: 'softDelete', to: 'deleted' },
  { from: 'provisioned', event: 'softDelete', to: 'deleted' },
]
