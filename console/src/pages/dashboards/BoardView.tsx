import { type ReactNode, useMemo, useState } from 'react'
import type { TimeRange } from '../../parts/time/time-range.ts'
import { useWords } from '../../words/words.tsx'
import type { Board, Widget } from './board/board.ts'
import { collapseSections, SectionsContext } from './board/sections.ts'
import type { Bindings } from './board/signals.ts'
import { listOfTab } from './board/tabs.ts'
import { BoardTabs } from './BoardTabs.tsx'
import Grid from './grid/Grid.tsx'
import { BoardValues } from './values/BoardValues.tsx'
import { WidgetNote } from './widgets/WidgetState.tsx'

interface Props {
  board: Board
  /** The open tab; the first if the board has no such tab. */
  tab: string
  onTab: (tab: string) => void
  timeRange: TimeRange
  onTimeRange: (range: TimeRange) => void
  bindings: Bindings
  /** Above the widgets. */
  children?: ReactNode
}

/** The widgets of the open tab with their values. Values of other tabs and of collapsed sections are not read. */
export default function BoardView({ board, tab, onTab, children, ...values }: Props) {
  const words = useWords('dashboards')
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const sections = useMemo(
    () => ({
      isCollapsed: ({ id, options }: Widget) => (options.collapsed === true) !== toggled.has(id),
      toggle: (id: string) =>
        setToggled((present) => {
          const next = new Set(present)
          if (!next.delete(id)) next.add(id)
          return next
        }),
    }),
    [toggled],
  )
  const widgets = useMemo(
    () => collapseSections(listOfTab(board, tab), sections.isCollapsed),
    [board, tab, sections],
  )
  return (
    <BoardValues widgets={widgets} {...values}>
      {children}
      <SectionsContext value={sections}>
        <BoardTabs board={board} tab={tab} onTab={onTab}>
          {widgets.length === 0 ? (
            <WidgetNote>{words.emptyTab}</WidgetNote>
          ) : (
            <Grid columns={board.columns} widgets={widgets} />
          )}
        </BoardTabs>
      </SectionsContext>
    </BoardValues>
  )
}
