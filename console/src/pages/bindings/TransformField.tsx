import { Button } from '@mantine/core'
import { useMemo } from 'react'
import type { EditorProblem } from '../../parts/code-editor/find-problems.ts'
import { JsonEditor } from '../../parts/code-editor/JsonEditor.tsx'
import { useWords } from '../../words/words.tsx'
import { writeLogic } from './binding.ts'
import styles from './Bindings.module.css'
import { completeLogic } from './complete-logic.ts'

interface Props {
  direction: 'in' | 'out'
  value: string
  /** Names of the values that the expression may read. */
  names: string[]
  problems: readonly EditorProblem[]
  isReadOnly: boolean
  onChange: (text: string) => void
  undo: { onUndo: () => void; onRedo: () => void }
}

/** An editor for a JSONLogic transform, with examples as a start. */
export function TransformField({ direction, value, names, problems, isReadOnly, onChange, undo }: Props) {
  const words = useWords('bindings')
  const known = names.join(' ')
  const completions = useMemo(() => completeLogic(known.split(' ')), [known])
  const name = names[0] ?? 'value'
  const label = direction === 'in' ? words.transform : words.inverse
  return (
    <section className={styles.block} aria-label={label}>
      <h2 className={styles.subtitle}>{label}</h2>
      <p className={styles.quiet}>{direction === 'in' ? words.transformText : words.inverseText}</p>
      <div className={styles.editor}>
        <JsonEditor
          label={label}
          value={value}
          onChange={onChange}
          isReadOnly={isReadOnly}
          problems={problems}
          completions={completions}
          undo={undo}
        />
      </div>
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
      {!isReadOnly && (
        <div className={styles.examples}>
          {listExamples(direction, name, words.examples).map(({ title, logic }) => (
            <Button key={title} size="compact-xs" onClick={() => onChange(writeLogic(logic))}>
              {title}
            </Button>
          ))}
        </div>
      )}
    </section>
  )
}

const listExamples = (
  direction: Props['direction'],
  name: string,
  titles: { scale: string; celsius: string; round: string; threshold: string; none: string },
) => {
  const value = { var: name }
  const simple = [
    { title: titles.none, logic: null },
    { title: titles.scale, logic: { '+': [{ '*': [value, 0.1] }, 0] } },
  ]
  if (direction === 'out') return simple
  return [
    ...simple,
    { title: titles.celsius, logic: { '/': [{ '-': [value, 32] }, 1.8] } },
    { title: titles.threshold, logic: { '>': [value, 80] } },
    { title: titles.round, logic: { '-': [value, { '%': [value, 1] }] } },
  ]
}
