import { Button } from '@mantine/core'
import { useState } from 'react'
import { useWords } from '../../words/words.tsx'
import { JsonEditor } from '../code-editor/JsonEditor.tsx'
import { type DataSchema, findSchemaProblems, type SchemaProblems } from './schema.ts'
import styles from './SchemaForm.module.css'
import { SchemaInput } from './SchemaInput.tsx'

export interface SchemaDraft {
  /** The value as JSON; empty for no value. Invalid JSON is kept while the user types. */
  text: string
  isJson: boolean
}

export const emptyDraft: SchemaDraft = { text: '', isJson: false }
export const draftOf = (value: unknown): SchemaDraft => ({
  text: value === undefined ? '' : JSON.stringify(value, null, 2),
  isJson: false,
})

/** @returns the value, undefined for no value; `isWrong` if the text is not JSON */
export function readDraftValue({ text }: SchemaDraft): { value?: unknown; isWrong: boolean } {
  if (text.trim() === '') return { isWrong: false }
  try {
    return { value: JSON.parse(text), isWrong: false }
  } catch {
    return { isWrong: true }
  }
}

/** Finds the problems for which a draft cannot be sent. */
export function findDraftProblems(schema: DataSchema, draft: SchemaDraft): SchemaProblems {
  const { value, isWrong } = readDraftValue(draft)
  if (isWrong) return { '': 'notObject' }
  return value === undefined ? {} : findSchemaProblems(schema, value)
}

interface Props {
  /** The label of a single field, and the accessible name of a group. */
  label: string
  schema: DataSchema
  unit?: string | null
  draft: SchemaDraft
  onChange: (draft: SchemaDraft) => void
}

/**
 * Edits a value of a model's data type, in fields by type or as JSON.
 *
 *     const [draft, setDraft] = useState(emptyDraft)
 *     <SchemaForm label={command} schema={readSchema(request.schema)} draft={draft} onChange={setDraft} />
 *     Object.keys(findDraftProblems(schema, draft)).length === 0 && send(readDraftValue(draft).value)
 */
export function SchemaForm({ label, schema, unit, draft, onChange }: Props) {
  const words = useWords('schema')
  const { value, isWrong } = readDraftValue(draft)
  const problems = findDraftProblems(schema, draft)
  // A new key recreates the editor each time it is shown. An open editor keeps its own text, so that the cursor stays.
  const [editing, setEditing] = useState(0)
  const isJson = draft.isJson || isWrong
  // The editor itself marks invalid JSON.
  const marked = Object.entries(isWrong ? {} : problems).map(([path, problem]) => ({
    path: path.replaceAll(/\[(\d+)\]/g, '.$1').replace(/^\./, ''),
    message: words.problems[problem],
  }))
  const show = (next: boolean) => {
    setEditing(editing + 1)
    onChange({ ...draft, isJson: next })
  }
  return (
    <div className={styles.form}>
      {isJson ? (
        <>
          <p className={styles.label}>{label}</p>
          <div className={styles.editor}>
            <JsonEditor
              key={editing}
              label={label}
              value={draft.text}
              problems={marked}
              onChange={(text) => onChange({ text, isJson: true })}
            />
          </div>
          <JsonProblems problems={problems} isWrong={isWrong} />
        </>
      ) : (
        <SchemaInput
          label={label}
          unit={unit ?? null}
          schema={schema}
          value={value}
          path=""
          problems={problems}
          onChange={(next) => onChange({ text: write(next), isJson: false })}
        />
      )}
      <div>
        <Button variant="subtle" size="compact-sm" disabled={isWrong} onClick={() => show(!isJson)}>
          {isJson ? words.asForm : words.asJson}
        </Button>
      </div>
    </div>
  )
}

const write = (value: unknown) => (value === undefined ? '' : JSON.stringify(value, null, 2))

function JsonProblems({ problems, isWrong }: { problems: SchemaProblems; isWrong: boolean }) {
  const words = useWords('schema')
  const entries = Object.entries(problems)
  if (isWrong) return <p className={styles.problem}>{words.notJson}</p>
  if (entries.length === 0) return null
  return (
    <ul className={styles.problems}>
      {entries.map(([path, problem]) => (
        <li key={path}>
          {path !== '' && <code>{path}</code>} {words.problems[problem]}
        </li>
      ))}
    </ul>
  )
}
