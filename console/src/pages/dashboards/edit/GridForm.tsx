import { Select } from '@mantine/core'
import { useWords } from '../../../words/words.tsx'
import type { Board } from '../board/board.ts'
import { changeColumns } from '../board/columns.ts'
import styles from './Editor.module.css'

interface Props {
  board: Board
  onChange: (board: Board) => void
}

/** The number of columns in which widgets are placed. */
export function GridForm({ board, onChange }: Props) {
  const words = useWords('dashboardEditor')
  return (
    <div className={styles.form}>
      <h2 className={styles.formTitle}>{words.grid}</h2>
      <Select
        label={words.columns}
        description={words.columnsText}
        data={['12', '24']}
        value={String(board.columns)}
        onChange={(columns) => onChange(changeColumns(board, columns === '24' ? 24 : 12))}
      />
    </div>
  )
}
