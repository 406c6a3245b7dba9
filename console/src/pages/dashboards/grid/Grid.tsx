import type { Widget } from '../board/board.ts'
import styles from './Grid.module.css'
import { inReadingOrder } from './grid.ts'
import { WidgetFrame } from './WidgetFrame.tsx'

interface Props {
  columns: number
  widgets: Widget[]
}

/** The widgets of a board at their places; on a phone one below the other. */
export default function Grid({ columns, widgets }: Props) {
  return (
    <div className={styles.grid} style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}>
      {inReadingOrder(widgets).map((widget) => (
        <WidgetFrame key={widget.id} widget={widget} />
      ))}
    </div>
  )
}
