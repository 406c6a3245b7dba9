import { Button } from '@mantine/core'
import { useWords } from '../../words/words.tsx'
import { type Labels, Overtaken } from '../draft/Overtaken.tsx'
import { Refusal } from '../Refusal.tsx'
import { DraftGuard } from './DraftGuard.tsx'
import styles from './SaveBar.module.css'
import type { Form } from './use-form.ts'

interface Props<Values extends object> {
  form: Form<Values>
  label?: string
  /** The labels of the fields, for what somebody else has saved in them. */
  labels?: Labels<Values>
}

/** The end of a form: what is unsaved, why it was refused, save and discard. Guards the page against being left. */
export function SaveBar<Values extends object>({ form, label, labels }: Props<Values>) {
  const words = useWords('common')
  return (
    <footer className={styles.bar}>
      <DraftGuard isChanged={form.isChanged && !form.isSubmitting} isKept={form.isKept} />
      <Overtaken saved={form.overtaken} labels={labels} />
      {form.failure !== null && <Refusal error={form.failure} />}
      <div className={styles.line}>
        <span role="status" className={styles.note}>
          {form.isChanged && (form.isRestored ? words.restored : words.unsaved)}
        </span>
        {form.isChanged && <Button onClick={form.reset}>{words.discard}</Button>}
        <Button type="submit" variant="filled" loading={form.isSubmitting} disabled={!form.isChanged}>
          {label ?? words.save}
        </Button>
      </div>
    </footer>
  )
}
