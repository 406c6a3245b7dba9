import { Menu } from '@mantine/core'
import type { MenuButton } from '../../parts/on-first-use.tsx'
import { useWords } from '../../words/words.tsx'
import type { Dialog } from './AssetDialogs.tsx'

/** Menu of the rarer actions on an asset. */
export default function AssetMenu({
  button,
  mayManage,
  mayDelete,
  onChoose,
}: {
  button: MenuButton
  mayManage: boolean
  mayDelete: boolean
  onChoose: (dialog: Dialog) => void
}) {
  const words = useWords('assets')
  return (
    <Menu>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={!mayManage} onClick={() => onChoose('rename')}>
          {words.rename.action}
        </Menu.Item>
        <Menu.Item disabled={!mayManage} onClick={() => onChoose('move')}>
          {words.move.action}
        </Menu.Item>
        <Menu.Item color="red" disabled={!mayDelete} onClick={() => onChoose('delete')}>
          {words.remove.action}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
