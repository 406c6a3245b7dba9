import { useCallback, useEffect, useState } from 'react'
import { JsonEditor } from '../../parts/code-editor/JsonEditor.tsx'
import { writeJson } from '../../parts/code-editor/write-json.ts'
import { useWords } from '../../words/words.tsx'
import { listUnknown, readBody, type RuleDraft, writeBody } from './rule.ts'
import styles from './Rules.module.css'
import { parseLogic } from './signals.ts'

interface Props {
  values: RuleDraft
  isReadOnly: boolean
  onChange: (values: RuleDraft) => void
  /** A text that is no rule yet; null if there is none. It is kept by the editor while another tab is shown. */
  unfinished: string | null
  onUnfinished: (text: string | null) => void
  undo: { onUndo: () => void; onRedo: () => void }
}

/** The rule as the JSON of its request. While the text is not a rule, the fields keep their values. */
export default function RawRule({ values, isReadOnly, onChange, unfinished, onUnfinished, undo }: Props) {
  const words = useWords('rules')
  const written = writeJson(writeBody(values))
  const [text, setText] = useState(written)
  const { organizationId } = values
  const readText = useCallback(
    (from: string) => {
      const read = readBody(parseLogic(from))
      // A text without an organization means the present one.
      return read && { ...read, organizationId: read.organizationId || organizationId }
    },
    [organizationId],
  )
  useEffect(() => {
    // The text is kept while it means the same as the fields; undo and the fields replace it.
    setText((present) => {
      const read = readText(present)
      return read !== undefined && writeJson(writeBody(read)) === written ? present : written
    })
  }, [written, readText])
  const unknown = unfinished === null ? [] : listUnknown(parseLogic(unfinished))
  const type = (next: string) => {
    const read = readText(next)
    onUnfinished(read === undefined ? next : null)
    if (read === undefined) return
    setText(next)
    onChange(read)
  }
  return (
    <div className={styles.block}>
      <p className={styles.quiet}>{words.rawText}</p>
      <JsonEditor
        label={words.raw}
        value={unfinished ?? text}
        onChange={type}
        isReadOnly={isReadOnly}
        undo={undo}
      />
      {unfinished !== null && (
        <p role="alert" className={styles.problem}>
          {unknown.length > 0 ? words.rawUnknown(unknown.join(', ')) : words.rawProblem}
        </p>
      )}
    </div>
  )
}
