import { useMemo } from 'react'
import { links } from '../../../links.ts'
import { Name } from '../../../parts/Id.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import type { Column } from '../../../parts/table/types.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useWords } from '../../../words/words.tsx'
import { type OnboardingDevice, stateKinds } from './device.ts'
import { useKeyWords } from './use-key-words.ts'

const time = (at: string | null) => at !== null && <RelativeTime at={at} />

export function useDeviceColumns(): Column<OnboardingDevice>[] {
  const words = useWords('onboardingDevices')
  const describeKey = useKeyWords()
  return useMemo(
    () => [
      {
        id: 'device',
        title: words.id,
        width: 'minmax(120px, 2fr)',
        render: ({ device_id, enrollment_group_id }) => (
          <PageAnchor link={links.onboardingDevice(enrollment_group_id, device_id)} tabIndex={-1}>
            <Name>{device_id}</Name>
          </PageAnchor>
        ),
      },
      {
        id: 'status',
        title: words.status,
        width: 'minmax(120px, 160px)',
        isOnPhone: true,
        render: ({ status }) => <StateMark state={stateKinds[status]}>{words.states[status]}</StateMark>,
      },
      {
        id: 'settings',
        title: words.lastSettings,
        width: 'minmax(112px, 160px)',
        render: ({ last_settings_at: at }) => time(at) || <span>{words.never}</span>,
      },
      {
        id: 'key',
        title: words.key,
        width: 'minmax(140px, 1fr)',
        render: (device) => describeKey(device),
      },
      {
        id: 'created',
        title: words.registered,
        width: 'minmax(112px, 160px)',
        render: ({ created_at }) => time(created_at),
      },
      {
        id: 'provisioned',
        title: words.provisioned,
        width: 'minmax(112px, 160px)',
        render: ({ provisioned_at }) => time(provisioned_at),
      },
    ],
    [words, describeKey],
  )
}
