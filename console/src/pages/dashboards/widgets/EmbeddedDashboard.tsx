import { createContext, use, useMemo, useState } from 'react'
import { lazyPart } from '../../../load-part.ts'
import { links } from '../../../links.ts'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { PartBoundary } from '../../../parts/PartBoundary.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { useWords } from '../../../words/words.tsx'
import { type Board, readBoard, type Widget } from '../board/board.ts'
import { useDashboard } from '../use-dashboard.ts'
import { useBindings } from '../variables/use-bindings.ts'
import { useBoardValues } from '../values/board-context.ts'
import type { WidgetKind } from './kind.ts'
import { WidgetLoading, WidgetNote } from './WidgetState.tsx'
import styles from './Widgets.module.css'

/** Loaded when used, since it shows widgets, which may be this one. */
const BoardView = lazyPart(() => import('../BoardView.tsx'))
const BoardNotices = lazyPart(() =>
  import('../BoardNotices.tsx').then(({ BoardNotices: it }) => ({ default: it })),
)

export const embeddedDashboard: WidgetKind = {
  kind: 'dashboard',
  icon: 'dashboards',
  size: { w: 12, h: 8 },
  View: EmbeddedDashboard,
  fields: ['dashboard'],
  initial: {},
}

/** A dashboard in a dashboard shows no third one, which might be the first. */
const DepthContext = createContext(0)

function EmbeddedDashboard({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const depth = use(DepthContext)
  const { dashboardId } = widget.options as { dashboardId?: string }
  const dashboard = useDashboard(depth === 0 ? dashboardId : undefined)
  const board = useMemo(() => (dashboard.data ? readBoard(dashboard.data.data) : null), [dashboard.data])
  if (dashboardId === undefined) return <WidgetNote>{words.noDashboard}</WidgetNote>
  const link = (
    <PageAnchor link={links.dashboard(dashboardId)}>{dashboard.data?.displayName ?? dashboardId}</PageAnchor>
  )
  if (depth > 0) return <WidgetNote>{link}</WidgetNote>
  if (dashboard.error !== null) return <Refusal error={dashboard.error} />
  if (dashboard.data === undefined) return <WidgetLoading />
  if (board === null) return <WidgetNote>{words.foreignText}</WidgetNote>
  return (
    <DepthContext value={depth + 1}>
      <div className={styles.scroll} tabIndex={0} role="group" aria-label={dashboard.data.displayName}>
        <p className={styles.embedded}>{link}</p>
        <InnerBoard board={board} />
      </div>
    </DepthContext>
  )
}

/** Variables have the values of the outer dashboard that has the same, else their own ones. */
function InnerBoard({ board }: { board: Board }) {
  const { timeRange, onTimeRange, bindings } = useBoardValues()
  const [tab, onTab] = useState('')
  const own = useMemo(
    () => board.variables.filter(({ name }) => !Object.hasOwn(bindings, name)),
    [board.variables, bindings],
  )
  const { byName, cut, error } = useBindings(own, none)
  const all = useMemo(() => ({ ...byName, ...bindings }), [byName, bindings])
  return (
    <PartBoundary fallback={<WidgetLoading />}>
      <BoardView {...{ board, tab, onTab, timeRange, onTimeRange, bindings: all }}>
        {error !== null && <Refusal error={error} />}
        <BoardNotices board={board} cut={cut} />
      </BoardView>
    </PartBoundary>
  )
}

const none = {}
