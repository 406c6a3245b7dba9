import { Refusal } from '../../../parts/Refusal.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import { type useWidgetHistory, useWidgetSignals } from '../values/board-context.ts'
import { WidgetLoading, WidgetNote } from './WidgetState.tsx'

interface Props {
  widget: Widget
  history: ReturnType<typeof useWidgetHistory>
}

/** Why a widget shows no values of its time. */
export function HistoryState({ widget, history }: Props) {
  const words = useWords('dashboards')
  const signals = useWidgetSignals(widget)
  if (signals.length === 0) return <WidgetNote>{words.noSignals}</WidgetNote>
  if (history.error !== null) return <Refusal error={history.error} />
  if (history.isLoading) return <WidgetLoading />
  return <WidgetNote>{words.noValues}</WidgetNote>
}
