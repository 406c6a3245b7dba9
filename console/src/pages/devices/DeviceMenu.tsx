import { Menu } from '@mantine/core'
import type { MenuButton } from '../../parts/on-first-use.tsx'
import { useWords } from '../../words/words.tsx'

export type DeviceDialog = 'replace' | 'delete'

interface Props {
  button: MenuButton
  mayDelete: boolean
  onChoose: (dialog: DeviceDialog) => void
}

/** Menu of the rarer actions on a device. */
export default function DeviceMenu({ button, mayDelete, onChoose }: Props) {
  const words = useWords('devices')
  return (
    <Menu>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChoose('replace')}>{words.replace.action}</Menu.Item>
        <Menu.Item color="red" disabled={!mayDelete} onClick={() => onChoose('delete')}>
          {words.remove.action}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
