import { Button } from '@mantine/core'
import { useMemo } from 'react'
import { StateMark } from '../../../parts/StateMark.tsx'
import { useWords } from '../../../words/words.tsx'
import shared from '../Onboarding.module.css'
import styles from './Groups.module.css'
import { compareLines, type ComparedLine } from './compare-lines.ts'

interface Props {
  /** The stored template, which somebody else has saved since the editing began. */
  theirs: string
  mine: string
  onTakeTheirs: () => void
  /** Called when the user wants to save over the stored template. */
  onKeepMine: () => void
}

/** Shows what somebody else has saved beside the unsaved text, and asks which of them to go on with. */
export function TemplateConflict({ theirs, mine, onTakeTheirs, onKeepMine }: Props) {
  const { conflict: words } = useWords('groups')
  const [left, right] = useMemo(() => compareLines(theirs, mine), [theirs, mine])
  return (
    <section role="alert" className={styles.conflict} aria-label={words.title}>
      <h2 className={shared.subtitle}>
        <StateMark state="warning">{words.title}</StateMark>
      </h2>
      <p className={shared.note}>{words.text}</p>
      <div className={styles.sides}>
        <Side title={words.theirs} lines={left} />
        <Side title={words.mine} lines={right} />
      </div>
      <div className={shared.line}>
        <Button onClick={onTakeTheirs}>{words.takeTheirs}</Button>
        <Button onClick={onKeepMine}>{words.keepMine}</Button>
      </div>
    </section>
  )
}

/** One of the two texts. Lines that the other one lacks have a mark beside their color. */
function Side({ title, lines }: { title: string; lines: ComparedLine[] }) {
  const { conflict: words } = useWords('groups')
  return (
    <div className={styles.side}>
      <h3 className={shared.label}>{title}</h3>
      <pre className={styles.compared} tabIndex={0} aria-label={title}>
        {lines.map(({ text, isOnlyHere }, index) => (
          <span key={index} className={styles.comparedLine} data-different={isOnlyHere || undefined}>
            <span className={styles.difference} title={isOnlyHere ? words.different : undefined}>
              {isOnlyHere ? '≠' : ' '}
            </span>
            <bdi>{text}</bdi>
            {'\n'}
          </span>
        ))}
      </pre>
    </div>
  )
}
