import { type KeyboardEvent, useMemo, useState } from 'react'
import { Empty } from '../../../parts/State.tsx'
import type { TimeRange } from '../../../parts/time/time-range.ts'
import { useWords } from '../../../words/words.tsx'
import type { Board, Widget } from '../board/board.ts'
import { findTab, listOfTab, moveToTab, setOfTab } from '../board/tabs.ts'
import { BoardTabs } from '../BoardTabs.tsx'
import { useBindings } from '../variables/use-bindings.ts'
import { BoardValues } from '../values/BoardValues.tsx'
import { EditGrid } from './EditGrid.tsx'
import styles from './Editor.module.css'
import { GridForm } from './GridForm.tsx'
import { TabsForm } from './TabsForm.tsx'
import { VariablesForm } from './VariablesForm.tsx'
import { WidgetForm } from './WidgetForm.tsx'

interface Props {
  board: Board
  onChange: (board: Board) => void
  selectedId: string
  onSelect: (widgetId: string) => void
  tab: string
  onTab: (tab: string) => void
  onUndo: () => void
  onRedo: () => void
}

const none = {}

/** The grid with handles, and beside it the options of the selected widget. */
export function EditedBoard({ board, onChange, selectedId, onSelect, tab, onTab, onUndo, onRedo }: Props) {
  const words = useWords('dashboardEditor')
  const [timeRange, setTimeRange] = useState<TimeRange>({ kind: 'last', span: '1h' })
  const bindings = useBindings(board.variables, none)
  const widgets = useMemo(() => listOfTab(board, tab), [board, tab])
  const selected = widgets.find(({ id }) => id === selectedId)
  const setWidgets = (next: Widget[]) => onChange(setOfTab(board, tab, next))
  const remove = (id: string) => {
    setWidgets(widgets.filter((widget) => widget.id !== id))
    onSelect('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const isTyping =
      event.target instanceof HTMLElement && event.target.matches('input, textarea, [contenteditable]')
    if (isTyping || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return
    event.preventDefault()
    if (event.shiftKey) onRedo()
    else onUndo()
  }
  return (
    <div className={styles.editing} onKeyDown={onKeyDown}>
      <div>
        <BoardValues
          widgets={widgets}
          timeRange={timeRange}
          onTimeRange={setTimeRange}
          bindings={bindings.byName}
        >
          <BoardTabs board={board} tab={tab} onTab={onTab}>
            {widgets.length === 0 ? (
              <Empty icon="dashboards" title={words.emptyTitle} text={words.emptyText} />
            ) : (
              <EditGrid
                board={{ ...board, widgets }}
                onChange={setWidgets}
                selectedId={selectedId}
                onSelect={onSelect}
                onRemove={remove}
              />
            )}
          </BoardTabs>
        </BoardValues>
      </div>
      <div className={styles.side} role="group" aria-label={words.options}>
        {selected === undefined ? (
          <>
            <VariablesForm board={board} onChange={onChange} />
            <TabsForm board={board} onChange={onChange} onOpen={onTab} />
            <GridForm board={board} onChange={onChange} />
          </>
        ) : (
          <WidgetForm
            key={selected.id}
            widget={selected}
            variables={board.variables}
            tabs={board.tabs}
            tab={findTab(board, tab)?.id}
            onTab={(next) => {
              onChange(moveToTab(board, selected, next))
              onTab(next)
            }}
            onChange={(changed) =>
              setWidgets(widgets.map((widget) => (widget.id === changed.id ? changed : widget)))
            }
            onRemove={() => remove(selected.id)}
            onClose={() => onSelect('')}
          />
        )}
      </div>
    </div>
  )
}
