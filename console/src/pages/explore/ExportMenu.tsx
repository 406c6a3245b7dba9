import { Menu } from '@mantine/core'
import type { MenuButton } from '../../parts/on-first-use.tsx'
import { useWords } from '../../words/words.tsx'
import type { ExportFormat } from './export-signals.ts'

interface Props {
  button: MenuButton
  /** Number of Parquet files, one for each asset or device. */
  owners: number
  /** What the buckets of the chart hold, in words; undefined where it shows each sample. */
  buckets: string | undefined
  /** @param isWhole whether each sample is saved, and not the buckets */
  onChoose: (format: ExportFormat, isWhole: boolean) => void
}

/** Menu of the formats in which the series of the chart can be saved. */
export default function ExportMenu({ button, owners, buckets, onChoose }: Props) {
  const words = useWords('explore')
  return (
    <Menu>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {buckets !== undefined && (
          <>
            <Menu.Label>{buckets}</Menu.Label>
            <Menu.Item onClick={() => onChoose('csv', false)}>{words.formats.csv}</Menu.Item>
            <Menu.Item onClick={() => onChoose('parquet', false)}>{words.formats.parquet(owners)}</Menu.Item>
          </>
        )}
        <Menu.Label>{words.exportEach}</Menu.Label>
        <Menu.Item onClick={() => onChoose('csv', true)}>{words.formats.csv}</Menu.Item>
        <Menu.Item onClick={() => onChoose('parquet', true)}>{words.formats.parquet(owners)}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
