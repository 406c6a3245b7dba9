/**
 * [Device in an enrollment group] The states that each operation starts from, and the one that it leads to. Removing
 * takes the record away, whatever its state: the interface names `registered`, and a device in another state would
 * have no way out of its group.
 */
export const deviceTransitions = {
  /** Add and bulk add of a device that the group does not have, or that a provider event soft-deleted. */
  add: { from: ['deleted'], to: 'registered' },
  provision: { from: ['registered'], to: 'provisioned', at: 'provisioned_at' },
  /** The provider event device.deleted: the record stays and says so. */
  softDelete: { from: ['registered', 'provisioned'], to: 'deleted', at: 'deleted_at' },
} as const
