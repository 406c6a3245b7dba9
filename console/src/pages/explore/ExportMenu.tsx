import { Menu } from '@mantine/core'
import type { MenuButton } from '../../parts/on-first-use.tsx'
import { useWords } from '../../words/words.tsx'
import type { ExportFormat } from './export-signals.ts'

interface Props {
  button: MenuButton
  /** Number of Parquet files, one for each asset or device. */
  owners: number
  onChoose: (format: ExportFormat) => void
}

/** Menu of the formats in which the series of the chart can be saved. */
export default function ExportMenu({ button, owners, onChoose }: Props) {
  const words = useWords('explore')
  return (
    <Menu>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChoose('csv')}>{words.formats.csv}</Menu.Item>
        <Menu.Item onClick={() => onChoose('parquet')}>{words.formats.parquet(owners)}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
