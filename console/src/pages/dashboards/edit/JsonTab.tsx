import { useEffect, useState } from 'react'
import { JsonEditor } from '../../../parts/code-editor/JsonEditor.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Data } from '../board/board.ts'
import styles from './Editor.module.css'

interface Props {
  data: Data
  onChange: (data: Data) => void
  /** A text that is no object yet; null if there is none. It is kept by the editor while the board is shown. */
  unfinished: string | null
  onUnfinished: (text: string | null) => void
}

const write = (data: Data) => JSON.stringify(data, null, 2)

/** The data as JSON. What is no object stays in the editor and changes nothing. */
export function JsonTab({ data, onChange, unfinished, onUnfinished }: Props) {
  const words = useWords('dashboardEditor')
  const [text, setText] = useState(() => write(data))
  useEffect(() => {
    setText((present) => (JSON.stringify(read(present)) === JSON.stringify(data) ? present : write(data)))
  }, [data])
  return (
    <div className={styles.json}>
      <JsonEditor
        label={words.json}
        value={unfinished ?? text}
        onChange={(next) => {
          const found = read(next)
          onUnfinished(found === null ? next : null)
          if (found === null) return
          setText(next)
          onChange(found)
        }}
      />
    </div>
  )
}

function read(text: string): Data | null {
  try {
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Data) : null
  } catch {
    return null
  }
}
