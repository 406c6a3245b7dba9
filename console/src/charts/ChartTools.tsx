import { useWords } from '../words/words.tsx'
import { Icon, type IconName } from '../parts/Icon.tsx'
import type { ChartControl } from './use-plot.ts'
import styles from './Chart.module.css'

interface Props {
  chart: ChartControl
  isTableShown: boolean | undefined
  onTable: ((isShown: boolean) => void) | undefined
}

/** Buttons that pan and zoom the chart without a drag or a wheel, and show the table. */
export function ChartTools({ chart, isTableShown = false, onTable }: Props) {
  const words = useWords('charts')
  return (
    <div className={styles.tools}>
      <Tool icon="back" label={words.earlier} onClick={() => chart.pan(-0.5)} />
      <Tool icon="back" isMirrored label={words.later} onClick={() => chart.pan(0.5)} />
      <Tool icon="plus" label={words.zoomIn} onClick={() => chart.zoom(0.5)} />
      <Tool icon="offline" label={words.zoomOut} onClick={() => chart.zoom(2)} />
      <Tool icon="refresh" label={words.reset} onClick={chart.reset} />
      {onTable && (
        <button
          type="button"
          className={styles.toggle}
          aria-pressed={isTableShown}
          onClick={() => onTable(!isTableShown)}
        >
          <Icon name="columns" />
          {words.showTable}
        </button>
      )}
    </div>
  )
}

const Tool = (props: { icon: IconName; label: string; isMirrored?: boolean; onClick: () => void }) => (
  <button
    type="button"
    className={styles.tool}
    data-mirrored={props.isMirrored || undefined}
    aria-label={props.label}
    title={props.label}
    onClick={props.onClick}
  >
    <Icon name={props.icon} />
  </button>
)
