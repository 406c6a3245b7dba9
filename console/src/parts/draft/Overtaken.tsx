import { Notice } from '../State.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Overtaken.module.css'

interface Props<Values extends object> {
  saved: Partial<Values>
  /** The labels of the fields; a field without one is shown by its name in the API. */
  labels?: Labels<Values> | undefined
}

export type Labels<Values extends object> = Partial<Record<keyof Values, string>>

/** What somebody else has saved in fields that were changed here as well. */
export function Overtaken<Values extends object>({ saved, labels = {} }: Props<Values>) {
  const words = useWords('common')
  const fields = Object.entries(saved)
  if (fields.length === 0) return null
  return (
    <Notice kind="warning">
      {words.overtaken}{' '}
      {fields.map(([name, value]) => (
        <span key={name} className={styles.field}>
          {labels[name as keyof Values] ?? <code>{name}</code>}:{' '}
          <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>
        </span>
      ))}
    </Notice>
  )
}
