import Type, { type Static } from 'typebox'
import { OnboardingPage } from '../../http/page.ts'
import { KEY_POLICIES } from '../bootstrap-keys/match-key.ts'
import { DisplayName, FreeObject, Timestamp, Uuid } from '../../http/shapes.ts'

const MAX_OFFLINE_SECONDS = 366 * 86_400

/** [docs/onboarding#enrollment-groups] */
const AuthMethod = Type.Enum(['shared_key'])
const Status = Type.Enum(['enabled', 'disabled'], {
  description: 'A disabled group rejects all device requests',
})
/** [docs/onboarding#derived-keys] */
const KeyPolicy = Type.Enum([...KEY_POLICIES], {
  description: '`derived_only` refuses the bootstrap key itself: devices send the key derived from it',
})

/** [docs/onboarding#offline-settings] */
const OfflineSettings = Type.Boolean({
  description: 'Whether devices get their last known keys while the provider is unavailable',
})
const OfflineSettingsMaxAge = {
  description: 'How old these keys may be, in seconds; 30 days if absent',
}

export const CreateEnrollmentGroup = Type.Object({
  name: DisplayName,
  auth_method: Type.Optional(AuthMethod),
  routing_target_id: Uuid,
  status: Type.Optional(Status),
  key_policy: Type.Optional(KeyPolicy),
  offline_settings: Type.Optional(OfflineSettings),
  offline_settings_max_age_seconds: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_OFFLINE_SECONDS, ...OfflineSettingsMaxAge }),
  ),
  response_template: FreeObject,
})
/** Absent fields keep their values. */
export const UpdateEnrollmentGroup = Type.Partial(
  Type.Object({
    ...CreateEnrollmentGroup.properties,
    expected_response_template: {
      ...FreeObject,
      description:
        'The template that the caller has read; another stored one refuses the update with `conflict`',
    },
  }),
)

export type CreateEnrollmentGroup = Static<typeof CreateEnrollmentGroup>
export type UpdateEnrollmentGroup = Static<typeof UpdateEnrollmentGroup>

/** The answer of create has exactly these fields. [docs/onboarding#enrollment-groups] */
export const EnrollmentGroupSummary = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    auth_method: AuthMethod,
    status: Status,
    routing_target_id: Uuid,
    created_at: Timestamp,
  },
  { title: 'EnrollmentGroupSummary' },
)
export const EnrollmentGroup = Type.Object(
  {
    ...EnrollmentGroupSummary.properties,
    key_policy: KeyPolicy,
    offline_settings: OfflineSettings,
    offline_settings_max_age_seconds: Type.Integer(OfflineSettingsMaxAge),
    response_template: FreeObject,
  },
  { title: 'EnrollmentGroup' },
)
export const EnrollmentGroupPage = OnboardingPage(EnrollmentGroup)
