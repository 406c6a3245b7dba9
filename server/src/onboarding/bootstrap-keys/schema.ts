import Type, { type Static } from 'typebox'
import { OnboardingPageQuery } from '../../http/page.ts'
import { DeviceId, Nullable, Timestamp } from '../../http/shapes.ts'
import { Device } from '../devices/schema.ts'

/** [docs/onboarding#key-slots] */
export const Keys = Type.Object(
  { primary_key: Nullable(Type.String()), secondary_key: Nullable(Type.String()) },
  { title: 'BootstrapKeys', description: 'Null if the slot is empty' },
)

export const KeysInUse = Type.Object(
  {
    ...Keys.properties,
    primary_created_at: Nullable(Timestamp),
    primary_last_used_at: Nullable(Timestamp),
    secondary_created_at: Nullable(Timestamp),
    secondary_last_used_at: Nullable(Timestamp),
  },
  { title: 'BootstrapKeysInUse', description: 'Null if the slot is empty' },
)

export const MAX_DERIVED_KEYS = 10_000

/** [docs/onboarding#keys-for-the-factory] */
export const DeriveKeys = Type.Object({
  device_ids: Type.Array(DeviceId, {
    minItems: 1,
    maxItems: MAX_DERIVED_KEYS,
    description: 'They need not be registered; a repeated id is answered each time',
  }),
})
const DerivedKey = Type.Object(
  {
    device_id: DeviceId,
    primary_key: Type.String(),
    secondary_key: Nullable(Type.String()),
  },
  { title: 'DerivedKey' },
)
export const DerivedKeys = Type.Object({ items: Type.Array(DerivedKey) }, { title: 'DerivedKeys' })
export type DerivedKey = Static<typeof DerivedKey>

export const IfReady = Type.Object({
  if_ready: Type.Optional(
    Type.Boolean({ description: 'Refuses the change while a device could no longer sign in after it' }),
  ),
})

/** Lists of devices by the key that they used last. [docs/onboarding#readiness] */
export const READINESS_LISTS = ['not_ready', 'old_key', 'replaced_key', 'raw_key', 'unseen'] as const
export type ReadinessList = (typeof READINESS_LISTS)[number]

export const ReadinessQuery = Type.Object({
  ...OnboardingPageQuery.properties,
  list: Type.Enum([...READINESS_LISTS], {
    default: 'not_ready',
    description:
      'The devices to list, by their last settings request: `old_key` used the primary key, `replaced_key` a key that ' +
      'is gone, `raw_key` a bootstrap key itself; `unseen` had no request; `not_ready` did not use the secondary key',
  }),
})

const byKind = (description: string) =>
  Type.Object(
    {
      bootstrap: Type.Integer({ description: 'Devices that sent the bootstrap key itself' }),
      derived: Type.Integer({ description: 'Devices that sent their derived key' }),
    },
    { description },
  )

export const Readiness = Type.Object(
  {
    devices: Type.Integer({ description: 'All devices of the group without soft-deleted ones' }),
    primary: byKind('Devices that last used the primary key'),
    secondary: byKind('Devices that last used the secondary key'),
    replaced: byKind('Devices that last used a key that is gone'),
    unseen: Type.Integer({ description: 'Devices that have not fetched settings' }),
    ready_to_flip: Type.Boolean({
      description: 'Whether there is a secondary key and every device used it last',
    }),
    ready_for_derived_only: Type.Boolean({ description: 'Whether every device last used its derived key' }),
    items: Type.Array(Device),
    continuation_token: Nullable(Type.String()),
  },
  { title: 'KeyReadiness' },
)
