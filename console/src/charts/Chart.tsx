import { lazyPart } from '../load-part.ts'
import type { ChartProps } from './ChartView.tsx'
import { PartBoundary } from '../parts/PartBoundary.tsx'
import styles from './Chart.module.css'

const load = () => import('./ChartView.tsx')
const ChartView = lazyPart(load)

export type { ChartSeries, OfflineSpan } from './plot/model.ts'

/** The chart of all pages. Its code is loaded when the first chart is rendered. */
export const Chart = (props: ChartProps) => (
  <PartBoundary
    fallback={<div className={styles.placeholder} data-chart-loads style={{ height: props.height ?? 320 }} />}
  >
    <ChartView {...props} />
  </PartBoundary>
)

/** Loads the code of charts while their samples are read. */
export const preloadChart = (): void => void load().catch(() => {})
