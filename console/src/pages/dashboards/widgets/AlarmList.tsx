import { useMemo } from 'react'
import { links } from '../../../links.ts'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Severity, StateMark } from '../../../parts/StateMark.tsx'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import { listAssets } from '../board/signals.ts'
import { useBoardValues } from '../values/board-context.ts'
import type { WidgetKind } from './kind.ts'
import { MOST_ASSETS } from '../variables/use-bindings.ts'
import { type AlarmStatus, MOST_CLEARED, MOST_OPEN, useAlarmStatuses } from './use-alarm-statuses.ts'
import { WidgetLoading, WidgetNote } from './WidgetState.tsx'
import styles from './Widgets.module.css'

export const alarmList: WidgetKind = {
  kind: 'alarmList',
  icon: 'alarm',
  size: { w: 6, h: 5 },
  View: AlarmList,
  fields: ['assets', 'rules', 'severity', 'history'],
  initial: {},
  hasHeading: true,
}

interface AlarmOptions {
  assetIds?: string[]
  variable?: string
  alarmIds?: string[]
  minSeverity?: number
  history?: boolean
}

const SHOWN = 100

/** Open alarms, or cleared ones, severe ones first. All alarm lists of a board share a request. */
function AlarmList({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const { bindings } = useBoardValues()
  const { alarmIds, minSeverity = 1, history = false, ...options } = widget.options as AlarmOptions
  const assets = options.variable === undefined ? options.assetIds : listAssets(options, bindings)
  const statuses = useAlarmStatuses(history, { assets, alarmIds, minSeverity })
  const shown = useMemo(
    () =>
      (statuses.data ?? [])
        .filter(
          ({ entityId, alarmId, severity }) =>
            (assets === undefined || assets.includes(entityId)) &&
            (alarmIds === undefined || alarmIds.includes(alarmId)) &&
            severity >= minSeverity,
        )
        .toSorted(
          (a, b) => (history ? 0 : b.severity - a.severity) || b.activatedAt.localeCompare(a.activatedAt),
        ),
    [statuses.data, assets, alarmIds, minSeverity, history],
  )
  // Loading, refused, renamed or not chosen yet: whether there are alarms is not known.
  if (options.variable !== undefined && assets?.length === 0) return <WidgetNote>{words.noAsset}</WidgetNote>
  if (statuses.data === undefined && statuses.error !== null) return <Refusal error={statuses.error} />
  if (statuses.data === undefined) return <WidgetLoading />
  const isCut =
    statuses.data.length >= (history ? MOST_CLEARED : MOST_OPEN) ||
    (options.variable !== undefined && (assets?.length ?? 0) >= MOST_ASSETS)
  if (shown.length === 0 && isCut) return <WidgetNote>{words.moreAlarms(SHOWN)}</WidgetNote>
  if (shown.length === 0)
    return (
      <WidgetNote>
        {history ? words.noClearedAlarms : <StateMark state="good">{words.noAlarms}</StateMark>}
      </WidgetNote>
    )
  return (
    <div
      className={styles.scroll}
      tabIndex={0}
      role="group"
      aria-label={widget.title ?? words.kinds.alarmList}
    >
      <ul className={styles.alarms}>
        {shown.slice(0, SHOWN).map((status) => (
          <Alarm key={status.alarmStatusId} status={status} />
        ))}
      </ul>
      {(shown.length > SHOWN || isCut) && <WidgetNote>{words.moreAlarms(SHOWN)}</WidgetNote>}
    </div>
  )
}

function Alarm({ status }: { status: AlarmStatus }) {
  return (
    <li className={styles.alarm}>
      <Severity severity={status.severity} />
      <PageAnchor
        link={links.alarm(status.alarmStatusId)}
        className={styles.alarmName}
        title={status.alarmName}
      >
        <bdi>{status.alarmName}</bdi>
      </PageAnchor>
      <span className={styles.alarmAsset} title={status.entityId}>
        <bdi>{status.entityName}</bdi>
      </span>
      <span className={styles.alarmAge}>
        <RelativeTime at={status.clearedAt ?? status.activatedAt} />
      </span>
    </li>
  )
}
