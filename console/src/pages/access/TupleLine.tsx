import { useWords } from '../../words/words.tsx'
import styles from './Access.module.css'
import { ObjectName } from './ObjectName.tsx'
import type { Tuple } from './objects.ts'

/** A relation in one line: who, as what, on what. */
export function TupleLine({ tuple }: { tuple: Tuple }) {
  const words = useWords('access')
  return (
    <p className={styles.tuple}>
      <ObjectName type={tuple.subjectType} id={tuple.subjectId} withType />
      <span className={styles.relation}>
        {words.why.is(words.relations[tuple.relation] ?? tuple.relation)}
      </span>
      <ObjectName type={tuple.resourceType} id={tuple.resourceId} withType />
    </p>
  )
}
