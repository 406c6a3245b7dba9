import { useElementSize } from '@mantine/hooks'
import { aggregations } from '../../explore/resolution.ts'
import type { Widget } from '../board/board.ts'
import type { WidgetKind } from './kind.ts'
import { SamplesChart } from './SamplesChart.tsx'
import styles from './Widgets.module.css'

const LEGEND_ROW = 28
const LEGEND_HEAD = 40
const LEAST_CHART = 120

export const lineChart: WidgetKind = {
  kind: 'lineChart',
  icon: 'explore',
  size: { w: 6, h: 6 },
  View: LineChart,
  fields: ['signals', 'scale', 'period', 'aggregation', 'interval', 'compare'],
  initial: { signals: [] },
  history: ({ aggregationType }) => aggregations.find((one) => one === aggregationType) ?? 'auto',
}

function LineChart({ widget }: { widget: Widget }) {
  const { ref, height } = useElementSize()
  const count = Array.isArray(widget.options.signals) ? widget.options.signals.length : 0
  const rows = widget.options.compare === true ? 2 * count : count
  const legend = LEGEND_HEAD + rows * LEGEND_ROW
  const hasLegend = height - legend >= LEAST_CHART
  return (
    <div ref={ref} className={styles.fill}>
      {height > 0 && (
        <SamplesChart
          widget={widget}
          height={Math.max(80, hasLegend ? height - legend : height)}
          hasLegend={hasLegend}
        />
      )}
    </div>
  )
}
