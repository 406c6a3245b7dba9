import type { Widget } from '../board/board.ts'
import type { WidgetKind } from './kind.ts'
import { SamplesChart } from './SamplesChart.tsx'
import styles from './Widgets.module.css'

export const stateTimeline: WidgetKind = {
  kind: 'stateTimeline',
  icon: 'columns',
  size: { w: 6, h: 4 },
  View: StateTimeline,
  fields: ['plainSignals', 'period'],
  initial: { signals: [] },
  history: () => 'states',
}

/** A lane for each signal, with its states over the time. */
function StateTimeline({ widget }: { widget: Widget }) {
  return (
    <div className={styles.scroll}>
      <SamplesChart widget={widget} height={160} />
    </div>
  )
}
