import { Notice } from '../State.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Overtaken.module.css'

/** What somebody else has saved in fields that were changed here as well, by the fields' names. */
export function Overtaken({ saved }: { saved: object }) {
  const words = useWords('common')
  const fields = Object.entries(saved)
  if (fields.length === 0) return null
  return (
    <Notice kind="warning">
      {words.overtaken}{' '}
      {fields.map(([name, value]) => (
        <span key={name} className={styles.field}>
          <code>{name}</code> <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
        </span>
      ))}
    </Notice>
  )
}
