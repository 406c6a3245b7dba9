import { useState } from 'react'
import type { Draft } from '../../parts/draft/use-draft.ts'
import { useWords } from '../../words/words.tsx'
import type { Content, DraftValues, Endpoint } from './binding.ts'
import { writeUnit } from '../explore/use-units.ts'
import styles from './Bindings.module.css'
import { OutgoingPreview } from './OutgoingPreview.tsx'
import { Preview } from './Preview.tsx'
import { type BindingProblems, countProblems } from './problems.ts'
import { SourceFields } from './SourceFields.tsx'
import { TransformField } from './TransformField.tsx'
import type { usePreview } from './use-preview.ts'

interface Props {
  endpoint: Endpoint
  content: Content | undefined
  draft: Draft<DraftValues>
  problems: BindingProblems
  isReadOnly: boolean
  preview: ReturnType<typeof usePreview>
  samples: ReturnType<typeof useSamples>
  outgoing: ReturnType<typeof useOutgoing>
}

/** The fields of a binding, with the preview beside them. */
export function BindingForm(props: Props) {
  const { endpoint, content, draft, problems, isReadOnly, preview, samples, outgoing } = props
  const { kind } = endpoint
  const { preview: words } = useWords('bindings')
  const { sources, transform, inverse } = draft.values
  const isWritable = kind === 'command' || (kind === 'property' && content?.writable !== false)
  const undo = { onUndo: draft.undo, onRedo: draft.redo }
  const names = sources.map(({ name }) => name)
  const blocked = isReadOnly ? words.readOnly : preview.isIncomplete ? words.incomplete : undefined
  return (
    <div className={styles.columns}>
      <div className={styles.column}>
        <SourceFields
          kind={kind}
          sources={sources}
          problems={problems.sources}
          isReadOnly={isReadOnly}
          onChange={(next) => draft.change({ sources: next })}
        />
        {kind !== 'command' && (
          <TransformField
            direction="in"
            value={transform}
            names={names.length === 1 ? [...new Set([...names, 'value'])] : names}
            problems={problems.transform}
            onChange={(text) => draft.change({ transform: text })}
            {...{ isReadOnly, undo }}
          />
        )}
        {isWritable && (
          <TransformField
            direction="out"
            value={inverse}
            names={[...new Set(['value', ...names])]}
            problems={problems.inverse}
            onChange={(text) => draft.change({ inverse: text })}
            {...{ isReadOnly, undo }}
          />
        )}
      </div>
      <div className={styles.column}>
        {kind !== 'command' && (
          <Preview
            query={preview.query}
            isWaiting={preview.isWaiting}
            blocked={blocked}
            hasProblems={countProblems(problems) > 0}
            unit={content?.unit ? writeUnit(content.unit) : undefined}
            samples={samples.texts}
            onSample={samples.set}
          />
        )}
        {isWritable && (
          <OutgoingPreview
            text={outgoing.text}
            onChange={outgoing.set}
            outgoing={preview.query.error === null ? preview.query.data?.outgoing : undefined}
            blocked={blocked}
          />
        )}
      </div>
    </div>
  )
}

/** Test values that the user entered in place of the last values, by the name of the source. */
export function useSamples(names: string[]) {
  const [texts, setTexts] = useState<Record<string, string>>({})
  const used = Object.entries(texts).filter(([name]) => names.includes(name))
  return {
    texts,
    values: Object.fromEntries(used.map(([name, text]) => [name, readSample(text)])),
    set: (name: string, text: string | null) =>
      setTexts(({ [name]: _dropped, ...rest }) => (text === null ? rest : { ...rest, [name]: text })),
  }
}

/** The value that the user tries to send; undefined for none. */
export function useOutgoing() {
  const [text, set] = useState('')
  return { text, set, value: text.trim() === '' ? undefined : readSample(text) }
}

/** Parses a test value as JSON; other text is a string. */
function readSample(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
