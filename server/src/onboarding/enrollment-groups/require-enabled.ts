import { ApiError } from '../../http/errors.ts'

/** A disabled group rejects settings requests and provisioning of its devices. @throws enrollment_group_disabled */
export function requireEnabled(status: 'enabled' | 'disabled'): void {
  if (status === 'disabled')
    throw new ApiError(
      'enrollment_group_disabled',
      'The enrollment group is disabled. Enable it to accept its devices.',
    )
}
