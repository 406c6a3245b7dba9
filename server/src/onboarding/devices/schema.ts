import Type from 'typebox'
import { OnboardingPage } from '../../http/page.ts'
import { KEY_KINDS } from '../bootstrap-keys/match-key.ts'
import { DeviceId, Nullable, Timestamp, Uuid } from '../../http/shapes.ts'

export const AddDevice = Type.Object({ device_id: DeviceId })

/** [docs/onboarding#devices] */
export const Device = Type.Object(
  {
    device_id: DeviceId,
    enrollment_group_id: Uuid,
    status: Type.Enum(['registered', 'provisioned', 'deleted']),
    created_at: Timestamp,
    provisioned_at: Nullable(Timestamp),
    last_settings_at: Nullable(Timestamp),
    last_key_slot: Nullable(Type.Enum(['primary', 'secondary'])),
    last_key_kind: Nullable(Type.Enum([...KEY_KINDS])),
  },
  { title: 'OnboardingDevice' },
)
export const DevicePage = OnboardingPage(Device)

/** [docs/onboarding#bulk-add] */
export const BulkResult = Type.Object(
  {
    added: Type.Integer(),
    skipped: Type.Integer({ description: 'Devices that exist already or are duplicates within the request' }),
    errors: Type.Array(
      Type.Object({
        line: Type.Integer({ description: 'Counted from 1' }),
        device_id: Nullable(Type.String()),
        error: Type.String(),
        message: Type.String(),
      }),
    ),
  },
  { title: 'BulkAddResult' },
)
