import { useWords } from '../../words/words.tsx'
import { Icon } from '../Icon.tsx'
import styles from './ProblemList.module.css'

export interface ListedProblem {
  key: string
  /** Line and column, such as `12:5`; absent if the problem belongs to no place. */
  place?: string
  path: string
  message: string
  onSelect?: () => void
}

const MOST_SHOWN = 20

/** Lists problems; a click selects the place in the editor. */
export function ProblemList({ problems }: { problems: ListedProblem[] }) {
  const words = useWords('common')
  if (problems.length === 0) return null
  return (
    <section className={styles.problems} aria-label={words.problems(problems.length)}>
      <p className={styles.count} role="status">
        <Icon name="bad" />
        {words.problems(problems.length)}
      </p>
      <ul className={styles.list}>
        {problems.slice(0, MOST_SHOWN).map(({ key, place, path, message, onSelect }) => (
          <li key={key}>
            <button
              type="button"
              className={styles.problem}
              onClick={onSelect}
              disabled={onSelect === undefined}
            >
              <span className={styles.place}>{place}</span>
              <span className={styles.text}>
                <code className={styles.path}>
                  <bdi>{path}</bdi>
                </code>{' '}
                <bdi>{message}</bdi>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
