import { useWords } from '../../words/words.tsx'
import styles from './Access.module.css'
import { ObjectName } from './ObjectName.tsx'
import { type ObjectRef, type Tuple, tupleKey } from './objects.ts'

interface Props {
  from: ObjectRef
  to: ObjectRef
  /** Each relation begins where the one before ends; empty if no path leads from one to the other. */
  chain: Tuple[]
}

/** A path of relations as boxes with what joins them, from a subject down to an object. */
export function Path({ from, to, chain }: Props) {
  const words = useWords('access')
  if (chain.length === 0)
    return (
      <ol className={styles.path} aria-label={words.why.path}>
        <li className={styles.stop}>
          <ObjectName {...from} withType />
        </li>
        <li className={styles.stop} data-broken>
          <ObjectName {...to} withType />
        </li>
      </ol>
    )
  const [first] = chain
  return (
    <ol className={styles.path} aria-label={words.why.path}>
      <li className={styles.stop}>
        <ObjectName type={first!.subjectType} id={first!.subjectId} withType />
      </li>
      {chain.map((tuple) => (
        <li key={tupleKey(tuple)} className={styles.step}>
          <span className={styles.joint}>
            {tuple.relation === 'parent'
              ? words.why.contains
              : words.why.is(words.relations[tuple.relation] ?? tuple.relation)}
          </span>
          <span className={styles.stop}>
            <ObjectName type={tuple.resourceType} id={tuple.resourceId} withType />
          </span>
        </li>
      ))}
    </ol>
  )
}
