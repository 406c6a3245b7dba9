import type { Transition } from '../../lib/state-table.ts'

type DeviceState = 'registered' | 'provisioned' | 'deleted'
type DeviceEvent = 'add' | 'provision' | 'softDelete'

/**
 * [docs/onboarding#device-states] Removing takes the record away, whatever its state: a provisioned
 * device would have no way out of its group otherwise.
 */
export const transitions: Transition<DeviceState, DeviceEvent>[] = [
  /** Add and bulk add, as of a device that the group does not have. */
  { from: 'deleted', event: 'add', to: 'registered' },
  { from: 'registered', event: 'provision', to: 'provisioned' },
  /** The provider event device.deleted: the record stays and says so. */
  { from: 'registered', event: 'softDelete', to: 'deleted' },
  { from: 'provisioned', event: 'softDelete', to: 'deleted' },
]
