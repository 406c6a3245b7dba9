import { ApiError } from '../../http/errors.ts'

/** A disabled group rejects all device requests: settings, and provisioning too, which would make a device able to connect. */
export function requireEnabled(status: 'enabled' | 'disabled'): void {
  if (status === 'disabled')
    throw new ApiError(
      'enrollment_group_disabled',
      'The enrollment group is disabled. Enable it to admit its devices.',
    )
}
