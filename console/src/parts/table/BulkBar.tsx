import { Button } from '@mantine/core'
import { useFormat } from '../../format.ts'
import { useWords } from '../../words/words.tsx'
import styles from './DataTable.module.css'
import type { BulkAction } from './types.ts'

/** What can be done with the selected rows. */
export function BulkBar<Row>(props: { actions: BulkAction<Row>[]; rows: Row[]; onClear: () => void }) {
  const words = useWords('common')
  const format = useFormat()
  return (
    <div className={styles.bulk} role="region" aria-label={words.actions}>
      <strong role="status">{words.selected(format.number(props.rows.length))}</strong>
      {props.actions.map(({ label, onRun, isDangerous }) => (
        <Button key={label} color={isDangerous ? 'red' : undefined} onClick={() => onRun(props.rows)}>
          {label}
        </Button>
      ))}
      <Button variant="subtle" onClick={props.onClear}>
        {words.clearSelection}
      </Button>
    </div>
  )
}
