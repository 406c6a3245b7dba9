import { Menu } from '@mantine/core'
import type { MenuButton } from '../../parts/on-first-use.tsx'
import { useWords } from '../../words/words.tsx'
import type { Dialog } from './AssetDialogs.tsx'

/** Menu of the rarer actions on an asset. */
export default function AssetMenu({
  button,
  onChoose,
}: {
  button: MenuButton
  onChoose: (dialog: Dialog) => void
}) {
  const words = useWords('assets')
  return (
    <Menu>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChoose('rename')}>{words.rename.action}</Menu.Item>
        <Menu.Item onClick={() => onChoose('move')}>{words.move.action}</Menu.Item>
        <Menu.Item color="red" onClick={() => onChoose('delete')}>
          {words.remove.action}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
