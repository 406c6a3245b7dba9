import { useWords } from '../../words/words.tsx'
import { Icon } from '../Icon.tsx'
import styles from './DataTable.module.css'
import type { Column, DataTableProps } from './types.ts'

export function HeaderCell<Row>({
  column,
  sort,
}: {
  column: Column<Row>
  sort: DataTableProps<Row>['sort']
}) {
  const words = useWords('common')
  const { title, align, sort: by } = column
  if (by === undefined || sort === undefined)
    return (
      <div role="columnheader" className={styles.cell} data-align={align}>
        {title}
      </div>
    )
  const direction = sort.value?.by === by ? sort.value.direction : null
  const next = direction === 'asc' ? 'desc' : 'asc'
  return (
    <div
      role="columnheader"
      className={styles.cell}
      data-align={align}
      aria-sort={direction === null ? 'none' : direction === 'asc' ? 'ascending' : 'descending'}
    >
      <button
        type="button"
        className={styles.sort}
        title={words.sortBy(title)}
        onClick={() => sort.onChange({ by, direction: next })}
      >
        {title}
        {direction !== null && <Icon name={direction === 'asc' ? 'up' : 'down'} size={12} />}
      </button>
    </div>
  )
}
