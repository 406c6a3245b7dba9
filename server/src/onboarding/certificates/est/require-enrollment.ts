import { requireEnabled } from '../../enrollment-groups/require-enabled.ts'
import type { AttemptTrail } from '../../trace/start-attempt.ts'
import type { CertificateSettings } from '../settings/schema.ts'
import { refuse } from './enrolling-device.ts'
import type { EnrollingGroup } from './find-group.ts'

const tierNames = { 1: 'the bootstrap key', 2: 'the derived key', 3: 'a manufacturer certificate' } as const

interface Identity {
  /** The group that the path names; undefined if it names none. */
  pathGroupId: string | undefined
  tier: 1 | 2 | 3
}

/** @throws forbidden, enrollment_group_disabled if the group does not let this identity enrol */
export function requireEnrollment(
  trail: AttemptTrail,
  group: EnrollingGroup,
  { pathGroupId, tier }: Identity,
): CertificateSettings {
  const forbid = (step: 'other_group' | 'certificates_not_enabled' | 'tier_too_low', message: string) =>
    refuse(trail, { code: 'forbidden', step, message })
  if (pathGroupId !== undefined && pathGroupId !== group.id)
    throw forbid('other_group', 'The credentials belong to another enrollment group than the path names.')
  requireGroupEnabled(trail, group)
  const { settings } = group
  if (!settings?.enabled)
    throw forbid(
      'certificates_not_enabled',
      'The enrollment group issues no certificates. Enable them in its certificate settings.',
    )
  const { minimum_tier: minimum } = settings
  if (tier < minimum)
    throw forbid(
      'tier_too_low',
      `The enrollment group requires tier ${minimum} (${tierNames[minimum]}); the device signed in with tier ${tier} (${tierNames[tier]}).`,
    )
  return settings
}

function requireGroupEnabled(trail: AttemptTrail, { status }: EnrollingGroup) {
  if (status === 'disabled') trail.end('refused', 'group_disabled')
  requireEnabled(status)
}
