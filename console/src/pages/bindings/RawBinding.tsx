import { useEffect, useState } from 'react'
import { JsonEditor } from '../../parts/code-editor/JsonEditor.tsx'
import { writeJson } from '../../parts/code-editor/write-json.ts'
import { useWords } from '../../words/words.tsx'
import { type BindingEntry, type DraftValues, readSource, writeLogic } from './binding.ts'
import styles from './Bindings.module.css'

interface Props {
  values: DraftValues
  /** Undefined while a transform is not JSON. */
  entry: BindingEntry | undefined
  isReadOnly: boolean
  onChange: (values: DraftValues) => void
  undo: { onUndo: () => void; onRedo: () => void }
}

/**
 * The binding as the JSON of its request. While the text is not a valid binding, only this editor changes; the fields
 * keep their values.
 */
export default function RawBinding({ values, entry, isReadOnly, onChange, undo }: Props) {
  const words = useWords('bindings')
  const [text, setText] = useState(() => writeJson(entry ?? {}))
  const wanted = JSON.stringify(values)
  const written = entry && writeJson(entry)
  useEffect(() => {
    // The text is kept while it means the same as the fields; undo and the fields replace it.
    setText((present) => (JSON.stringify(readValues(present)) === wanted ? present : (written ?? present)))
  }, [wanted, written])
  const type = (next: string) => {
    setText(next)
    const read = readValues(next)
    if (read !== undefined) onChange(read)
  }
  return (
    <div className={styles.block}>
      <p className={styles.quiet}>{words.rawText}</p>
      <div className={styles.editor}>
        <JsonEditor label={words.raw} value={text} onChange={type} isReadOnly={isReadOnly} undo={undo} />
      </div>
      {readValues(text) === undefined && (
        <p role="alert" className={styles.problem}>
          {words.rawProblem}
        </p>
      )}
    </div>
  )
}

function readValues(text: string): DraftValues | undefined {
  try {
    const entry = JSON.parse(text) as Partial<BindingEntry>
    const { remoteEndpointIds, transform, inverseTransform } = entry
    if (!Array.isArray(remoteEndpointIds)) return undefined
    if (!remoteEndpointIds.every(isRemote)) return undefined
    return {
      sources: remoteEndpointIds.map(readSource),
      transform: writeLogic(transform),
      inverse: writeLogic(inverseTransform),
    }
  } catch {
    return undefined
  }
}

const isRemote = (remote: unknown) =>
  typeof remote === 'object' &&
  remote !== null &&
  typeof (remote as { name?: unknown }).name === 'string' &&
  typeof (remote as { endpointId?: unknown }).endpointId === 'string'
