import { useId, useRef, useState } from 'react'
import { useWords } from '../../../words/words.tsx'
import type { Board, Widget } from '../board/board.ts'
import styles from '../grid/Grid.module.css'
import { inReadingOrder, placeWidget } from '../grid/grid.ts'
import { useTitle, WidgetFrame } from '../grid/WidgetFrame.tsx'
import { changeByKey } from './change-by-key.ts'
import { useDrag } from './use-drag.ts'

interface Props {
  board: Board
  onChange: (widgets: Widget[]) => void
  selectedId: string
  onSelect: (widgetId: string, byKeys: boolean) => void
  onRemove: (widgetId: string) => void
}

/** Widgets that are moved and resized by the mouse, a finger or the arrow keys. */
export function EditGrid({ board, onChange, selectedId, onSelect, onRemove }: Props) {
  const words = useWords('dashboardEditor')
  const grid = useRef<HTMLDivElement>(null)
  const keysId = useId()
  const [preview, setPreview] = useState<Widget[] | null>(null)
  const [spoken, setSpoken] = useState('')
  const { columns, widgets } = board
  const shown = preview ?? widgets
  const place = (id: string, position: Widget['position']) => placeWidget(widgets, id, position, columns)
  return (
    <div>
      <p id={keysId} className="visually-hidden">
        {words.keys}
      </p>
      <p className="visually-hidden" role="status">
        {spoken}
      </p>
      <div
        ref={grid}
        className={styles.grid}
        style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
        data-editing
      >
        {inReadingOrder(shown).map((widget) => (
          <EditedWidget
            key={widget.id}
            widget={widget}
            columns={columns}
            grid={grid}
            keysId={keysId}
            isSelected={widget.id === selectedId}
            onSelect={(byKeys) => onSelect(widget.id, byKeys)}
            onRemove={() => onRemove(widget.id)}
            onPreview={(position) => setPreview(position && place(widget.id, position))}
            onPlace={(position) => {
              setPreview(null)
              onChange(place(widget.id, position))
              const { x, y, w, h } = position
              setSpoken(words.placed(x + 1, y + 1, w, h))
            }}
          />
        ))}
      </div>
    </div>
  )
}

interface WidgetProps {
  widget: Widget
  columns: number
  grid: React.RefObject<HTMLDivElement | null>
  keysId: string
  isSelected: boolean
  onSelect: (byKeys: boolean) => void
  onRemove: () => void
  onPreview: (position: Widget['position'] | null) => void
  onPlace: (position: Widget['position']) => void
}

function EditedWidget({ widget, columns, grid, keysId, isSelected, ...on }: WidgetProps) {
  const words = useWords('dashboardEditor')
  const title = useTitle(widget)
  const drag = useDrag({ grid, columns, position: widget.position, ...on })
  return (
    <WidgetFrame widget={widget} isEdited isSelected={isSelected}>
      <button
        type="button"
        className={styles.mover}
        aria-label={words.widget(title)}
        aria-describedby={keysId}
        aria-pressed={isSelected}
        onKeyDown={(event) => {
          if (event.key === 'Delete') return on.onRemove()
          const position = changeByKey(widget.position, event, columns)
          if (position === null) return
          event.preventDefault()
          on.onPlace(position)
        }}
        {...drag.move}
      />
      <span className={styles.resizer} aria-hidden {...drag.resize} />
    </WidgetFrame>
  )
}
