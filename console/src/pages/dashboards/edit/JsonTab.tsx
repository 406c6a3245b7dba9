import { useEffect, useState } from 'react'
import { JsonEditor } from '../../../parts/code-editor/JsonEditor.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Data } from '../board/board.ts'
import styles from './Editor.module.css'

interface Props {
  data: Data
  onChange: (data: Data) => void
}

const write = (data: Data) => JSON.stringify(data, null, 2)

/** The data as JSON. What is no JSON stays in the editor and changes nothing. */
export function JsonTab({ data, onChange }: Props) {
  const words = useWords('dashboardEditor')
  const [text, setText] = useState(() => write(data))
  useEffect(() => {
    setText((present) => (JSON.stringify(read(present)) === JSON.stringify(data) ? present : write(data)))
  }, [data])
  return (
    <div className={styles.json}>
      <JsonEditor
        label={words.json}
        value={text}
        onChange={(next) => {
          setText(next)
          const found = read(next)
          if (found !== null) onChange(found)
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
