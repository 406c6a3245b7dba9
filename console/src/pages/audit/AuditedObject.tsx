import { Icon } from '../../parts/Icon.tsx'
import { useWords } from '../../words/words.tsx'
import { ObjectName } from '../access/ObjectName.tsx'
import { iconOf, isListed } from '../access/objects.ts'
import styles from './Audit.module.css'
import type { Entry } from './entry.ts'

/** What was changed, by the name that it had then; by its present name where the entry has none. */
export function AuditedObject({ entry }: { entry: Entry }) {
  const words = useWords('audit')
  const access = useWords('access')
  const { resourceType: type, resourceId: id } = entry
  const typeName = access.types[type] ?? words.types[type] ?? type
  const name = readName(entry)
  if (name === undefined && isListed(type)) return <ObjectName type={type} id={id} withType />
  return (
    <span className={styles.line}>
      <Icon name={isListed(type) ? iconOf(type) : 'audit'} size={14} />
      <span className={styles.note}>{typeName}</span>
      <span className={styles.name} title={name ?? id}>
        <bdi>{name ?? id}</bdi>
      </span>
    </span>
  )
}

function readName({ before, after }: Entry): string | undefined {
  for (const record of [after, before])
    for (const field of ['displayName', 'name']) {
      const value = record?.[field]
      if (typeof value === 'string' && value !== '') return value
    }
  return undefined
}
