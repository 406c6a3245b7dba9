import type { Item } from '@gangway/client'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { Id } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Empty } from '../../parts/State.tsx'
import { StateMark, type StateKind } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { shownRows } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { Facts } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'

export type Update = Item<'/v1/providers/{providerId}/clients/{clientId}/firmware-updates'>
type Entry = Update['logs'][number]

export const updateMarks: Record<Update['status'], StateKind> = {
  Ready: 'off',
  Running: 'active',
  Succeeded: 'good',
  Failed: 'bad',
  Rejected: 'bad',
  Cancelled: 'off',
}
const levelMarks: Record<Entry['level'], StateKind> = { Info: 'off', Warning: 'warning', Error: 'bad' }

/** Facts about one firmware update of a device, and its log. */
export function FirmwareUpdate({ update }: { update: Omit<Update, 'releaseName'> }) {
  const { firmwareTab: words } = useWords('devices')
  const format = useFormat()
  const { statusValue, currentStep, wave, startedAt, endedAt, deploymentId, deploymentName, logs } = update
  const at = (time: string | null) => (time === null ? words.notYet : format.full(time))
  return (
    <>
      <Facts
        entries={[
          [words.started, at(startedAt)],
          [words.ended, at(endedAt)],
          [words.step, format.number(currentStep)],
          [words.wave, format.number(wave)],
          [
            words.deployment,
            <PageAnchor key="name" link={links.deployment(deploymentId)}>
              <bdi>{deploymentName}</bdi>
            </PageAnchor>,
          ],
          [words.deploymentId, <Id key="id" value={deploymentId} name={words.deploymentId} />],
          ...(statusValue === null
            ? []
            : [
                [words.reported, <code key="value">{JSON.stringify(statusValue)}</code>] as [
                  string,
                  React.ReactNode,
                ],
              ]),
        ]}
      />
      <DataTable
        name="firmware-log"
        label={words.log}
        source={shownRows(logs.toReversed())}
        columns={useLogColumns()}
        rowKey={({ timestamp, message, step }) => `${timestamp} ${step} ${message}`}
        rowName={({ message }) => message}
        empty={<Empty icon="firmware" title={words.noLogTitle} text={words.noLogText} />}
        fit="content"
      />
    </>
  )
}

function useLogColumns(): Column<Entry>[] {
  const { firmwareTab: words } = useWords('devices')
  const format = useFormat()
  return [
    {
      id: 'level',
      title: words.level,
      width: '112px',
      render: ({ level }) => <StateMark state={levelMarks[level]}>{words.levels[level]}</StateMark>,
    },
    {
      id: 'time',
      title: words.time,
      width: 'minmax(104px, 160px)',
      render: ({ timestamp }) => <RelativeTime at={timestamp} />,
    },
    {
      id: 'step',
      title: words.step,
      width: '80px',
      align: 'end',
      render: ({ step }) => format.number(step),
    },
    {
      id: 'message',
      title: words.message,
      width: 'minmax(160px, 4fr)',
      isOnPhone: true,
      render: ({ message }) => <bdi title={message}>{message}</bdi>,
    },
  ]
}
