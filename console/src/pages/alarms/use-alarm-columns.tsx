import { Button } from '@mantine/core'
import { links } from '../../links.ts'
import { Name } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Severity, StateMark } from '../../parts/StateMark.tsx'
import type { Column } from '../../parts/table/types.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { ValueText } from '../../parts/Value.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Alarms.module.css'
import { marks, type Status } from './status.ts'

/** Columns of open and of cleared alarms. */
export function useAlarmColumns(
  show: 'open' | 'history',
  onAcknowledge: (status: Status) => void,
): Column<Status>[] {
  const words = useWords('alarms')
  const columns: Column<Status>[] = [
    {
      id: 'name',
      title: words.alarm,
      width: 'minmax(112px, 2fr)',
      render: ({ alarmName }) => <Name>{alarmName}</Name>,
    },
    {
      id: 'severity',
      title: words.severity,
      width: 'minmax(104px, 136px)',
      isOnPhone: true,
      render: ({ severity }) => <Severity severity={severity} />,
    },
    {
      id: 'asset',
      title: words.asset,
      width: 'minmax(104px, 2fr)',
      belowOnPhone: 'name',
      render: ({ entityId, entityName }) => (
        <PageAnchor link={links.asset(entityId, { tab: 'alarms' })} className={styles.cut} tabIndex={-1}>
          <Name>{entityName}</Name>
        </PageAnchor>
      ),
    },
    {
      id: 'state',
      title: words.state,
      width: 'minmax(112px, 150px)',
      belowOnPhone: 'severity',
      render: ({ state }) => <StateMark state={marks[state]}>{words.states[state]}</StateMark>,
    },
    {
      id: 'since',
      title: words.since,
      width: 'minmax(96px, 130px)',
      render: ({ activatedAt }) => <RelativeTime at={activatedAt} />,
    },
    {
      id: 'value',
      title: words.value,
      width: 'minmax(72px, 1fr)',
      align: 'end',
      render: ({ value }) =>
        value === null || value === undefined ? words.silence : <ValueText value={value} />,
    },
  ]
  if (show === 'history')
    return [
      ...columns.filter(({ id }) => id !== 'state'),
      {
        id: 'cleared',
        title: words.clearedAt,
        width: 'minmax(96px, 130px)',
        belowOnPhone: 'severity',
        render: ({ clearedAt }: Status) => clearedAt !== null && <RelativeTime at={clearedAt} />,
      },
      { id: 'comment', title: words.comment, width: 'minmax(96px, 2fr)', render: renderComment },
    ]
  return [
    ...columns,
    {
      id: 'comment',
      title: words.comment,
      width: 'minmax(96px, 2fr)',
      isOptional: true,
      render: renderComment,
    },
    {
      id: 'acknowledge',
      title: words.acknowledged,
      width: 'minmax(112px, 130px)',
      render: (status: Status) =>
        status.acknowledgedAt === null ? (
          <Button size="compact-xs" onClick={() => onAcknowledge(status)}>
            {words.acknowledge.action}
          </Button>
        ) : (
          <RelativeTime at={status.acknowledgedAt} />
        ),
    },
  ]
}

const renderComment = ({ acknowledgeComment }: Status) =>
  acknowledgeComment ? <Name>{acknowledgeComment}</Name> : null
