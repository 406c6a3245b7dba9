import type { ReactNode } from 'react'
import type { TimeRange } from '../../parts/time/time-range.ts'
import type { Board } from './board/board.ts'
import type { Bindings } from './board/signals.ts'
import Grid from './grid/Grid.tsx'
import { BoardValues } from './values/BoardValues.tsx'

interface Props {
  board: Board
  timeRange: TimeRange
  onTimeRange: (range: TimeRange) => void
  bindings: Bindings
  /** Above the widgets. */
  children?: ReactNode
}

/** The widgets of a board with their values. */
export default function BoardView({ board, children, ...values }: Props) {
  return (
    <BoardValues widgets={board.widgets} {...values}>
      {children}
      <Grid columns={board.columns} widgets={board.widgets} />
    </BoardValues>
  )
}
