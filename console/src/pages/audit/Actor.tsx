import { Id } from '../../parts/Id.tsx'
import { useWords } from '../../words/words.tsx'
import { ObjectName } from '../access/ObjectName.tsx'
import styles from './Audit.module.css'
import type { Entry } from './entry.ts'

/** Who made a change: a user by name, an API token by its id, or a part of the platform. */
export function Actor({ entry: { actorType, actorId } }: { entry: Entry }) {
  const words = useWords('audit')
  if (actorType === 'user' && actorId !== null) return <ObjectName type="user" id={actorId} />
  return (
    <span className={styles.line}>
      <span className={styles.note}>{words.actors[actorType] ?? actorType}</span>
      {actorId !== null && <Id value={actorId} name={words.who} isCopied={false} />}
    </span>
  )
}
