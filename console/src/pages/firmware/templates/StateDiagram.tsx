import type { ReactNode } from 'react'
import { StateMark, type StateKind } from '../../../parts/StateMark.tsx'
import { useWords } from '../../../words/words.tsx'
import { writeValue } from '../value-text.ts'
import styles from './StateDiagram.module.css'
import type { Course, StatusList } from './template.ts'

/** The states of an update: its steps one after the other, and the statuses of the device that lead on. */
export function StateDiagram({ course: { steps, status } }: { course: Course }) {
  const { template: words } = useWords('firmware')
  const { diagram } = words
  const reported = (list: StatusList) =>
    status.statusMap[list].length === 0 ? (
      <span>{diagram.never}</span>
    ) : (
      status.statusMap[list].map(({ value }, index) => (
        <code key={index}>
          <bdi>{writeValue(value)}</bdi>
        </code>
      ))
    )
  return (
    <figure className={styles.diagram} aria-label={words.course}>
      <ol className={styles.course}>
        <li className={styles.state}>
          <StateMark state="off">{diagram.waiting}</StateMark>
          <span className={styles.note}>{diagram.waitingText}</span>
        </li>
        {steps.map(({ name, displayName }, index) => (
          <li key={index} className={styles.state}>
            <StateMark state="active">
              <bdi>{displayName || words.step(index + 1)}</bdi>
            </StateMark>
            <span className={styles.note}>
              {diagram.sets}{' '}
              <code>
                <bdi>{name}</bdi>
              </code>
            </span>
          </li>
        ))}
        <li className={styles.state}>
          <StateMark state="good">{diagram.succeeded}</StateMark>
        </li>
      </ol>
      <p className={styles.note}>
        <bdi>{status.statusPropertyName}</bdi> {diagram.reports}:
      </p>
      <dl className={styles.ends}>
        <End state="good" name={diagram.succeeded}>
          {reported('successStatuses')}
        </End>
        <End state="bad" name={diagram.failed} otherwise={diagram.failedText}>
          {reported('failureStatuses')}
        </End>
        <End state="bad" name={diagram.rejected} otherwise={diagram.rejectedText}>
          {reported('rejectStatuses')}
        </End>
        <End state="off" name={diagram.cancelled} otherwise={diagram.cancelledText}>
          {reported('cancelStatuses')}
        </End>
      </dl>
    </figure>
  )
}

interface EndProps {
  state: StateKind
  name: string
  /** What else leads to this end. */
  otherwise?: string
  children: ReactNode
}

function End({ state, name, otherwise, children }: EndProps) {
  const { diagram } = useWords('firmware').template
  return (
    <>
      <dt>
        <StateMark state={state}>{name}</StateMark>
      </dt>
      <dd className={styles.values}>
        {children}
        {otherwise !== undefined && (
          <span className={styles.note}>
            {diagram.or} {otherwise}
          </span>
        )}
      </dd>
    </>
  )
}
