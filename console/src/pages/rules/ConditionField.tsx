import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { EditorProblem } from '../../parts/code-editor/find-problems.ts'
import { JsonEditor } from '../../parts/code-editor/JsonEditor.tsx'
import { useWords } from '../../words/words.tsx'
import { completeLogic } from '../bindings/complete-logic.ts'
import { ConditionEditor } from './ConditionRows.tsx'
import { noRows, readRows, writeRows } from './conditions.ts'
import styles from './Rules.module.css'
import { type Content, writeVariable } from './signals.ts'

interface Props {
  label: string
  text: string
  value: string
  contents: readonly Content[]
  problems: readonly EditorProblem[]
  isReadOnly: boolean
  onChange: (condition: string) => void
  undo: { onUndo: () => void; onRedo: () => void }
}

/** A condition as rows or as JSONLogic. What rows cannot show stays a text. */
export function ConditionField(props: Props) {
  const { label, value, contents, problems, isReadOnly, onChange } = props
  const words = useWords('rules')
  const [isText, setText] = useState(false)
  const rows = readRows(value)
  const names = contents.filter(({ kind }) => kind === 'telemetry').map(writeVariable)
  const known = names.join(' ')
  const completions = useMemo(() => completeLogic(known.split(' ')), [known])
  const showsText = isText || rows === undefined
  return (
    <section className={styles.block} aria-label={label}>
      <div className={styles.blockHead}>
        <h2 className={styles.subtitle}>{label}</h2>
        <div className={styles.modes} role="group" aria-label={words.showAs(label)}>
          <Button
            size="compact-xs"
            aria-pressed={!showsText}
            disabled={rows === undefined}
            onClick={() => setText(false)}
          >
            {words.asRows}
          </Button>
          <Button size="compact-xs" aria-pressed={showsText} onClick={() => setText(true)}>
            {words.asText}
          </Button>
        </div>
      </div>
      <p className={styles.quiet}>{props.text}</p>
      {rows === undefined && <p className={styles.quiet}>{words.onlyText}</p>}
      {showsText ? (
        <JsonEditor
          label={words.logicOf(label)}
          value={value}
          onChange={onChange}
          isReadOnly={isReadOnly}
          problems={problems}
          completions={completions}
          undo={props.undo}
        />
      ) : (
        <ConditionEditor
          label={label}
          value={rows ?? noRows}
          contents={contents}
          isReadOnly={isReadOnly}
          onChange={(next) => onChange(writeRows(next))}
        />
      )}
      {problems.map(({ path, message }) => (
        <p key={`${path} ${message}`} role="alert" className={styles.problem}>
          {path !== '' && (
            <>
              <code>{path}</code>{' '}
            </>
          )}
          <bdi>{message}</bdi>
        </p>
      ))}
    </section>
  )
}
