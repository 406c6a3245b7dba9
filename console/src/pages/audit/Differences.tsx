import { useWords } from '../../words/words.tsx'
import styles from './Audit.module.css'
import type { Difference } from './differences.ts'

/** Table of values before and after a change. */
export function Differences({ differences }: { differences: Difference[] }) {
  const words = useWords('audit')
  if (differences.length === 0) return <p className={styles.note}>{words.noDifference}</p>
  return (
    <table className={styles.differences}>
      <thead>
        <tr>
          <th scope="col">{words.field}</th>
          <th scope="col">{words.before}</th>
          <th scope="col">{words.after}</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ path, before, after }) => (
          <tr key={path}>
            <th scope="row">
              <code>{path}</code>
            </th>
            <td data-side="before">
              <Value value={before} />
            </td>
            <td data-side="after">
              <Value value={after} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Value({ value }: { value: unknown }) {
  const words = useWords('audit')
  if (value === undefined) return <span className={styles.note}>{words.absent}</span>
  const written = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <code className={styles.value}>
      <bdi>{written}</bdi>
    </code>
  )
}
