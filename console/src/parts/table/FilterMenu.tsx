import { Menu } from '@mantine/core'
import { useWords } from '../../words/words.tsx'
import { Icon } from '../Icon.tsx'
import type { MenuButton } from '../on-first-use.tsx'
import styles from './Toolbar.module.css'
import type { ListedFilter } from './types.ts'

/** The values of a filter. */
export default function FilterMenu({ filter, button }: { filter: ListedFilter; button: MenuButton }) {
  const words = useWords('common')
  const { hint, options, value, onChange, isRequired = false } = filter
  const choices = isRequired ? options : [{ value: '', label: words.any }, ...options]
  return (
    <Menu position="bottom-start">
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown className={styles.options}>
        {hint !== undefined && <Menu.Label className={styles.hint}>{hint}</Menu.Label>}
        <Menu.RadioGroup value={value} onChange={onChange}>
          {choices.map((option) => (
            <Menu.RadioItem key={option.value} value={option.value} checkIcon={check} closeMenuOnClick>
              <bdi>{option.label}</bdi>
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  )
}

const check = <Icon name="check" size={14} />
