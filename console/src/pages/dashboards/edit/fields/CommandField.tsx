import { Checkbox, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useWords } from '../../../../words/words.tsx'
import { JsonEditor } from '../../../../parts/code-editor/JsonEditor.tsx'
import { ContentSelect } from './ContentSelect.tsx'
import type { FieldProps } from './field.ts'
import styles from '../Editor.module.css'

/** The command of a button, with its payload and its label. */
export function CommandField({ options, onChange, variables }: FieldProps) {
  const words = useWords('dashboardEditor')
  return (
    <>
      <ContentSelect
        kind="command"
        label={words.command}
        options={options}
        variables={variables}
        value={{
          name: String(options.commandName ?? ''),
          componentId: (options.componentId as string) ?? null,
        }}
        onChange={({ name, componentId }) =>
          onChange({ commandName: name, componentId: componentId ?? undefined })
        }
      />
      <Payload value={options.payload} onChange={(payload) => onChange({ payload })} />
      <TextInput
        label={words.label}
        autoComplete="off"
        maxLength={256}
        value={typeof options.label === 'string' ? options.label : ''}
        onChange={(event) => onChange({ label: event.currentTarget.value || undefined })}
      />
      <Checkbox
        label={words.confirm}
        checked={options.confirm !== false}
        onChange={(event) => onChange({ confirm: event.currentTarget.checked })}
      />
    </>
  )
}

function Payload({ value, onChange }: { value: unknown; onChange: (payload: unknown) => void }) {
  const words = useWords('dashboardEditor')
  const [text, setText] = useState(() => write(value))
  const written = write(value)
  useEffect(() => {
    setText((present) => (isSame(present, written) ? present : written))
  }, [written])
  return (
    <div className={styles.payload}>
      <span className={styles.groupTitle}>{words.payload}</span>
      <JsonEditor
        label={words.payload}
        value={text}
        onChange={(next) => {
          setText(next)
          if (next.trim() === '') return onChange(undefined)
          try {
            onChange(JSON.parse(next))
          } catch {
            // Unfinished JSON stays in the editor, which marks it.
          }
        }}
      />
    </div>
  )
}

const write = (value: unknown) => (value === undefined ? '' : JSON.stringify(value, null, 2))

function isSame(text: string, written: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(JSON.parse(written))
  } catch {
    return text.trim() !== ''
  }
}
