import { useEffect, useMemo } from 'react'
import { useFormat } from '../../../format.ts'
import { useFreshData } from '../../../live/use-fresh-data.ts'
import { Outdated } from '../../../parts/Outdated.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Failed, Loading } from '../../../parts/State.tsx'
import { timeRange } from '../../../parts/time/time-range.ts'
import { LiveMark } from '../../../shell/LiveMark.tsx'
import { text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { type Board, readBoard, type Variable } from '../board/board.ts'
import { BoardNotices } from '../BoardNotices.tsx'
import BoardView from '../BoardView.tsx'
import { FullScreen } from '../FullScreen.tsx'
import { type Dashboard, useDashboard } from '../use-dashboard.ts'
import { useBindings } from '../variables/use-bindings.ts'
import { WidgetNote } from '../widgets/WidgetState.tsx'
import styles from './Kiosk.module.css'

const fields = { range: timeRange('1h'), tab: text() }

/** How often the dashboard is read, to show its changes and to notice that the link has ended. */
const REFRESH_MS = 60_000
/** A failed request is repeated after this time. A screen on a wall has no user who could retry. */
const RETRY_MS = 10_000

export function KioskBoard({ dashboardId }: { dashboardId: string }) {
  useFreshData()
  const dashboard = useDashboard(dashboardId, {
    refetchInterval: ({ state }) => (state.status === 'error' ? RETRY_MS : REFRESH_MS),
    refetchIntervalInBackground: true,
  })
  const retry = () => void dashboard.refetch()
  if (dashboard.isPending) return <Loading />
  if (dashboard.data === undefined) return <Failed isPage error={dashboard.error} onRetry={retry} />
  return (
    <main className={styles.page}>
      {dashboard.error !== null && <Outdated error={dashboard.error} onRetry={retry} />}
      <View dashboard={dashboard.data} />
    </main>
  )
}

function View({ dashboard }: { dashboard: Dashboard }) {
  const words = useWords('dashboards')
  const shell = useWords('shell')
  const { zone } = useFormat()
  const board = useMemo(() => readBoard(dashboard.data), [dashboard.data])
  useEffect(() => {
    document.title = `${dashboard.displayName} · ${shell.product}`
  }, [dashboard.displayName, shell.product])
  return (
    <>
      <header className={styles.head}>
        <h1 className={styles.title} title={dashboard.displayName}>
          <bdi>{dashboard.displayName}</bdi>
        </h1>
        {board?.variables.map((variable) => (
          <VariableValue key={variable.name} variable={variable} />
        ))}
        <span className={styles.end}>
          <span className={styles.zone}>{zone}</span>
          <LiveMark />
          <FullScreen />
        </span>
      </header>
      {board === null ? <WidgetNote>{words.foreignText}</WidgetNote> : <Widgets board={board} />}
    </>
  )
}

/** Variables keep the values of the dashboard: the link shows nothing else. */
function VariableValue({ variable: { name, label = name, value } }: { variable: Variable }) {
  return (
    <span className={styles.variable}>
      <bdi>{label}</bdi>: <bdi>{value.join(', ')}</bdi>
    </span>
  )
}

function Widgets({ board }: { board: Board }) {
  const words = useWords('dashboards')
  const [state, change] = useUrlState(fields)
  const bindings = useBindings(board.variables, {})
  if (board.widgets.length === 0 && board.foreign.length === 0)
    return <WidgetNote>{words.noWidgetsTitle}</WidgetNote>
  return (
    <BoardView
      board={board}
      tab={state.tab}
      onTab={(tab) => void change({ tab })}
      timeRange={state.range}
      onTimeRange={(range) => void change({ range })}
      bindings={bindings.byName}
    >
      {bindings.error !== null && <Refusal error={bindings.error} />}
      <BoardNotices board={board} cut={bindings.cut} />
    </BoardView>
  )
}
