import { Menu } from '@mantine/core'
import { usePreferences } from '../../preferences.tsx'
import { Icon } from '../Icon.tsx'
import type { MenuButton } from '../on-first-use.tsx'

interface Props {
  /** The table's name. */
  name: string
  columns: { id: string; title: string }[]
  shown: string[]
  button: MenuButton
}

/** Shows and hides columns; the first one stays. */
export default function ColumnMenu({ name, columns, shown, button }: Props) {
  const { preferences, change } = usePreferences()
  const toggle = (id: string) => {
    const isHidden = (one: string) => (one === id) === shown.includes(one)
    const hidden = columns.map((column) => column.id).filter(isHidden)
    change({ hiddenColumns: { ...preferences.hiddenColumns, [name]: hidden } })
  }
  return (
    <Menu>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {columns.slice(1).map(({ id, title }) => (
          <Menu.CheckboxItem
            key={id}
            checked={shown.includes(id)}
            checkIcon={<Icon name="check" size={14} />}
            onChange={() => toggle(id)}
          >
            {title}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
