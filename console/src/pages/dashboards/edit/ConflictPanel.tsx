import { Button } from '@mantine/core'
import { useState } from 'react'
import { useWords } from '../../../words/words.tsx'
import { listDifferences } from '../../audit/differences.ts'
import styles from './Editor.module.css'
import type { Conflict } from './merge.ts'

interface Props {
  version: number
  conflicts: Conflict[]
  onResolve: (mine: ReadonlySet<string>) => void
}

/** Panel that shows conflicting changes of two editors side by side. All other changes are merged already. */
export function ConflictPanel({ version, conflicts, onResolve }: Props) {
  const words = useWords('dashboardEditor')
  const [chosen, setChosen] = useState<Readonly<Record<string, 'mine' | 'theirs'>>>({})
  const isComplete = conflicts.every(({ key }) => chosen[key] !== undefined)
  return (
    <section className={styles.conflicts} aria-label={words.conflict(version)}>
      <h2 className={styles.conflictTitle}>{words.conflict(version)}</h2>
      <p>{words.conflictText}</p>
      {conflicts.map(({ key, mine, theirs }) => (
        <fieldset key={key} className={styles.conflict}>
          <legend>
            <bdi>{describe(mine ?? theirs, key)}</bdi>
          </legend>
          {(['mine', 'theirs'] as const).map((side) => (
            <label key={side} className={styles.side} data-chosen={chosen[key] === side || undefined}>
              <span>
                <input
                  type="radio"
                  name={key}
                  checked={chosen[key] === side}
                  onChange={() => setChosen({ ...chosen, [key]: side })}
                />{' '}
                {words[side]}
              </span>
              <pre>{writeSide(side, mine, theirs) ?? words.removed}</pre>
            </label>
          ))}
        </fieldset>
      ))}
      <div>
        <Button
          variant="filled"
          disabled={!isComplete}
          onClick={() => onResolve(new Set(Object.keys(chosen).filter((key) => chosen[key] === 'mine')))}
        >
          {words.resolve}
        </Button>
      </div>
    </section>
  )
}

/** The fields of one side that differ from the other side; all fields if the other side has removed the widget. */
function writeSide(side: 'mine' | 'theirs', mine: unknown, theirs: unknown): string | undefined {
  const write = (value: unknown) => JSON.stringify(value, null, 2)
  const own = side === 'mine' ? mine : theirs
  if (mine === undefined || theirs === undefined) return own === undefined ? undefined : write(own)
  return listDifferences(mine, theirs)
    .map(({ path, before, after }) => {
      const value = write(side === 'mine' ? before : after) ?? '–'
      return path === '' ? value : `${path}: ${value}`
    })
    .join('\n')
}

function describe(value: unknown, key: string): string {
  const { title, kind } = (value ?? {}) as { title?: unknown; kind?: unknown }
  if (typeof title === 'string') return title
  return typeof kind === 'string' ? `${kind} (${key})` : key
}
