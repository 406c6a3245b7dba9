import { lazyPart } from '../../../load-part.ts'
import { useWords } from '../../../words/words.tsx'
import type { Widget } from '../board/board.ts'
import type { WidgetKind } from './kind.ts'
import { WidgetLoading, WidgetNote } from './WidgetState.tsx'
import { PartBoundary } from '../../../parts/PartBoundary.tsx'

const Markdown = lazyPart(() => import('./Markdown.tsx'))

export const text: WidgetKind = {
  kind: 'text',
  icon: 'files',
  size: { w: 4, h: 3 },
  View: Text,
  fields: ['text'],
  initial: { text: '' },
}

function Text({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const { text: written } = widget.options as { text: string }
  if (typeof written !== 'string' || written.trim() === '') return <WidgetNote>{words.noText}</WidgetNote>
  return (
    <PartBoundary fallback={<WidgetLoading />}>
      <Markdown text={written} label={widget.title ?? words.kinds.text} />
    </PartBoundary>
  )
}
