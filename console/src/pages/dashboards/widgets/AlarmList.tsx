import type { Schemas } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { useLiveStore } from '../../../live/LiveProvider.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Severity, StateMark } from '../../../parts/StateMark.tsx'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import type { Widget } from '../board/board.ts'
import { useBoardValues } from '../values/board-context.ts'
import type { WidgetKind } from './kind.ts'
import { MOST_ASSETS } from '../variables/use-bindings.ts'
import { WidgetLoading, WidgetNote } from './WidgetState.tsx'
import styles from './Widgets.module.css'

type Status = Schemas['AlarmStatus']

export const alarmList: WidgetKind = {
  kind: 'alarmList',
  icon: 'alarm',
  size: { w: 6, h: 5 },
  View: AlarmList,
  fields: ['assets', 'severity', 'history'],
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

const MOST = 1000
const SHOWN = 100
/** Alarms of assets are pushed; those of all assets are requested. Several lists share the requests of one. */
const REFRESH_MS = 30_000

/** Open alarms, or cleared ones, severe ones first. All alarm lists of a board share a request. */
function AlarmList({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const { bindings } = useBoardValues()
  const { alarmIds, minSeverity = 1, history = false, ...options } = widget.options as AlarmOptions
  const assets = options.variable === undefined ? options.assetIds : (bindings[options.variable] ?? [])
  const statuses = useStatuses(history, { assets, alarmIds, minSeverity })
  useAlarmPush(assets)
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
    statuses.data.length >= (history ? SHOWN : MOST) ||
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

function Alarm({ status }: { status: Status }) {
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

interface Wanted {
  assets: string[] | undefined
  alarmIds: string[] | undefined
  minSeverity: number
}

const only = (ids: string[] | undefined) => (ids?.length === 1 ? ids[0] : undefined)

/** Open alarms of all lists are one request; of cleared ones, the server chooses those of the list where it can. */
function useStatuses(isHistory: boolean, { assets, alarmIds, minSeverity }: Wanted) {
  const api = useApi()
  const { plan } = useBoardValues()
  const chosen = isHistory ? { entityId: only(assets), alarmId: only(alarmIds), minSeverity } : {}
  return useQuery({
    queryKey: ['board-alarms', isHistory, chosen],
    queryFn: async ({ signal }): Promise<Status[]> => {
      const query = { query: { limit: isHistory ? SHOWN : MOST, ...chosen }, signal: withTimeout(signal) }
      return isHistory ? api.get('/v1/alarms/status/history', query) : api.get('/v1/alarms/status', query)
    },
    refetchInterval: () => REFRESH_MS * plan.countAlarmLists(),
  })
}

function useAlarmPush(assets: string[] | undefined) {
  const { plan } = useBoardValues()
  const live = useLiveStore()
  const key = JSON.stringify(assets ?? [])
  useEffect(() => {
    const watched = (JSON.parse(key) as string[]).slice(0, MOST)
    if (watched.length === 0) return
    const subscription = live
      .connect()
      .subscribe({ topic: 'alarm', assets: watched }, plan.readAlarms, { onGap: plan.readAlarms })
    return () => subscription.stop()
  }, [plan, live, key])
}
