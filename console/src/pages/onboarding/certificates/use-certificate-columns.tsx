import { useMemo } from 'react'
import { useFormat } from '../../../format.ts'
import { Name } from '../../../parts/Id.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import type { Column } from '../../../parts/table/types.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useWords } from '../../../words/words.tsx'
import { type Certificate, stateKinds } from './certificate.ts'

export function useCertificateColumns(): Column<Certificate>[] {
  const words = useWords('certificates')
  const format = useFormat()
  return useMemo(
    () => [
      {
        id: 'device',
        title: words.device,
        width: 'minmax(100px, 2fr)',
        render: ({ deviceId }) => <Name>{deviceId}</Name>,
      },
      {
        id: 'state',
        title: words.state,
        width: 'minmax(112px, 140px)',
        isOnPhone: true,
        render: ({ state }) => <StateMark state={stateKinds[state]}>{words.states[state]}</StateMark>,
      },
      {
        id: 'ends',
        title: words.ends,
        width: 'minmax(96px, 140px)',
        isOnPhone: true,
        render: ({ notAfter }) => (
          <time dateTime={notAfter} title={format.full(notAfter)}>
            {format.date(notAfter)}
          </time>
        ),
      },
      {
        id: 'tier',
        title: words.tier,
        width: 'minmax(140px, 1fr)',
        render: ({ tier }) => words.tiers[tier],
      },
      {
        id: 'issued',
        title: words.issued,
        width: 'minmax(104px, 140px)',
        render: ({ issuedAt }) => <RelativeTime at={issuedAt} />,
      },
      {
        id: 'connected',
        title: words.connected,
        width: 'minmax(104px, 140px)',
        render: ({ connectedAt }) => connectedAt !== null && <RelativeTime at={connectedAt} />,
      },
      {
        id: 'serial',
        title: words.serial,
        isOptional: true,
        width: 'minmax(160px, 1fr)',
        render: ({ serialNumber }) => <code>{serialNumber}</code>,
      },
    ],
    [words, format],
  )
}
