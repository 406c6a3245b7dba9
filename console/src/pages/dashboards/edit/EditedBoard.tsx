import { useWindowEvent } from '@mantine/hooks'
import { useEffect, useMemo, useRef, useState } from 'react'
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
  const options = useOptionsPanel(selected?.id, onSelect)
  const setWidgets = (next: Widget[]) => onChange(setOfTab(board, tab, next))
  const remove = (id: string) => {
    setWidgets(widgets.filter((widget) => widget.id !== id))
    onSelect('')
  }
  // On the window: a widget that was removed leaves the focus nowhere.
  useWindowEvent('keydown', (event) => {
    const step = readStep(event)
    if (step === null) return
    event.preventDefault()
    if (step === 'redo') onRedo()
    else onUndo()
  })
  return (
    <div className={styles.editing}>
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
                onSelect={options.open}
                onRemove={remove}
              />
            )}
          </BoardTabs>
        </BoardValues>
      </div>
      <div ref={options.ref} className={styles.side} role="group" aria-label={words.options} tabIndex={-1}>
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
            onClose={options.close}
          />
        )}
      </div>
    </div>
  )
}

/** The options come into view with their widget: they are beside the board, or far below it. Keys go with them. */
function useOptionsPanel(selectedId: string | undefined, onSelect: (widgetId: string) => void) {
  const ref = useRef<HTMLDivElement>(null)
  const shownId = useRef(selectedId)
  const isByKeys = useRef(false)
  const reveal = () => {
    ref.current!.scrollIntoView({ block: 'nearest' })
    if (isByKeys.current) ref.current!.focus({ preventScroll: true })
    isByKeys.current = false
  }
  useEffect(() => {
    if (selectedId !== undefined && selectedId !== shownId.current) reveal()
    shownId.current = selectedId
  }, [selectedId])
  return {
    ref,
    open: (id: string, byKeys: boolean) => {
      isByKeys.current = byKeys
      if (id === selectedId) reveal()
      else onSelect(id)
    },
    close: () => {
      const widget = document.querySelector(`[data-widget="${CSS.escape(selectedId ?? '')}"]`)
      widget?.querySelector('button')?.focus()
      onSelect('')
    },
  }
}

/** Fields and dialogs have keys of their own. */
const WITH_OWN_KEYS = 'input, textarea, [contenteditable], [role="dialog"] *'

function readStep(event: KeyboardEvent): 'undo' | 'redo' | null {
  const { ctrlKey, metaKey, shiftKey, target } = event
  if (!(ctrlKey || metaKey) || (target instanceof Element && target.matches(WITH_OWN_KEYS))) return null
  const key = event.key.toLowerCase()
  if (key === 'z') return shiftKey ? 'redo' : 'undo'
  return key === 'y' ? 'redo' : null
}
