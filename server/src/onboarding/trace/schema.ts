import Type, { type Static } from 'typebox'
import type { AttemptRow } from '../../database/tables/onboarding-attempts.ts'
import { OnboardingPage, OnboardingPageQuery } from '../../http/page.ts'
import { DeviceId, Nullable, Timestamp, Uuid } from '../../http/shapes.ts'
import { describeStep } from './step-codes.ts'

const kinds = ['settings', 'provisioning', 'certificate', 'mqtt_sign_in', 'tls_handshake'] as const
const Outcome = Type.Enum(['succeeded', 'refused', 'failed'], {
  description: '`refused`: a rule was against it. `failed`: something was unavailable',
})
const Kind = Type.Enum([...kinds], { description: 'What the device attempted' })
const Code = Type.String({ description: 'A stable code of the table of steps in the guide' })
const WhatToDo = Nullable(Type.String({ description: 'What to do about it; null if it went well' }))

/** [docs/onboarding#decision-trace] */
const AttemptStep = Type.Object(
  {
    code: Code,
    meaning: Nullable(
      Type.String({ description: 'What the code means; null for a code of a later version' }),
    ),
    message: Nullable(Type.String({ description: 'What happened in this case, where there is more to say' })),
    what_to_do: WhatToDo,
  },
  { title: 'OnboardingAttemptStep' },
)

const Attempt = Type.Object(
  {
    device_id: Type.String({
      description:
        'The id that the device sent; such a device need not exist. Empty for `tls_handshake`, which comes before the id',
    }),
    enrollment_group_id: Nullable({
      ...Uuid,
      description: 'The group that decided; null if none did, as for MQTT',
    }),
    kind: Kind,
    outcome: Outcome,
    code: { ...Code, description: 'The code of the last step, which decided' },
    what_to_do: WhatToDo,
    address: Nullable(
      Type.String({ description: 'The address of the device; for provisioning that of the caller' }),
    ),
    started_at: { ...Timestamp, description: 'When the latest of these attempts began' },
    first_started_at: { ...Timestamp, description: 'When the first of them began' },
    count: Type.Integer({ description: 'How many equal attempts in a row these are' }),
    duration_ms: Type.Integer({ description: 'The duration of the latest of them, in milliseconds' }),
    steps: Type.Array(AttemptStep, { description: 'The steps of the latest of them, in order' }),
  },
  { title: 'OnboardingAttempt' },
)

export const DeviceTrace = Type.Object(
  {
    device_id: DeviceId,
    enrollment_group_id: Uuid,
    items: Type.Array(Attempt, { description: 'The last attempts of the device, newest first' }),
  },
  { title: 'OnboardingDeviceTrace' },
)
export const AttemptPage = OnboardingPage(Attempt)

export const AttemptQuery = Type.Object({
  ...OnboardingPageQuery.properties,
  outcome: Type.Optional(
    Type.Enum(['succeeded', 'refused', 'failed', 'unsuccessful'], {
      description: '`unsuccessful`: refused or failed',
    }),
  ),
  kind: Type.Optional(Kind),
  device_id: Type.Optional(
    Type.String({ maxLength: 128, description: 'The id as the device sent it, also one that no group has' }),
  ),
  since: Type.Optional({
    ...Timestamp,
    description: 'Attempts of which the latest began at this time or later',
  }),
})
export type AttemptFilter = Omit<Static<typeof AttemptQuery>, 'limit' | 'cursor'>

export function attemptShape(row: AttemptRow): Static<typeof Attempt> {
  const steps = row.steps.map(({ code, message }) => ({
    code,
    meaning: describeStep(code)?.meaning ?? null,
    message: message ?? null,
    what_to_do: describeStep(code)?.action ?? null,
  }))
  return {
    device_id: row.device_id,
    enrollment_group_id: row.enrollment_group_id,
    kind: row.kind,
    outcome: row.outcome,
    code: steps.at(-1)?.code ?? '',
    what_to_do: steps.findLast((step) => step.what_to_do !== null)?.what_to_do ?? null,
    address: row.address,
    started_at: row.last_at.toISOString(),
    first_started_at: row.first_at.toISOString(),
    count: row.count,
    duration_ms: row.duration_ms,
    steps,
  }
}
