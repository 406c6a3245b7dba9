import Type, { type Static } from 'typebox'
import { OnboardingPage } from '../../http/page.ts'
import { DisplayName, FreeObject, Timestamp, Uuid } from '../../http/shapes.ts'

/** [docs/onboarding#enrollment-groups] */
const AuthMethod = Type.Enum(['shared_key'])
const Status = Type.Enum(['enabled', 'disabled'], {
  description: 'A disabled group rejects all device requests',
})

export const CreateEnrollmentGroup = Type.Object({
  name: DisplayName,
  auth_method: Type.Optional(AuthMethod),
  routing_target_id: Uuid,
  status: Type.Optional(Status),
  response_template: FreeObject,
})
/** Absent fields keep their values. */
export const UpdateEnrollmentGroup = Type.Partial(CreateEnrollmentGroup)

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
  { ...EnrollmentGroupSummary.properties, response_template: FreeObject },
  { title: 'EnrollmentGroup' },
)
export const EnrollmentGroupPage = OnboardingPage(EnrollmentGroup)
