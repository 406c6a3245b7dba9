import { Combobox, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { cloneElement, useState } from 'react'
import { useWords } from '../../words/words.tsx'
import { Icon } from '../Icon.tsx'
import type { MenuButton } from '../on-first-use.tsx'
import { markOutdated } from '../outdated-list.ts'
import { Refusal } from '../Refusal.tsx'
import styles from './Toolbar.module.css'
import type { FoundFilter } from './types.ts'

const SEARCH_DELAY_MS = 200
/** Also on a phone, whose screen is 390 px wide. */
const WIDTH = 280

/** The values of a filter, which the server searches. */
export default function FoundMenu({ filter, button }: { filter: FoundFilter; button: MenuButton }) {
  const words = useWords('common')
  const { label, value, onChange, finder } = filter
  const menu = useCombobox({
    onDropdownOpen: () => menu.focusSearchInput(),
    onDropdownClose: () => {
      menu.resetSelectedOption()
      menu.focusTarget()
      setTyped('')
    },
  })
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS)
  const found = useQuery({
    queryKey: ['picked', finder.kind, search],
    queryFn: ({ signal }) => finder.find(search, signal),
    enabled: menu.dropdownOpened,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
  const options = [{ id: '', name: words.any }, ...(found.data ?? [])]
  const choose = (id: string) => {
    onChange(id)
    menu.closeDropdown()
  }
  return (
    <Combobox store={menu} position="bottom-start" width={WIDTH} onOptionSubmit={choose}>
      <Combobox.Target>{cloneElement(button, { onClick: () => menu.toggleDropdown() })}</Combobox.Target>
      <Combobox.Dropdown>
        {/* The dropdown stands outside of the landmarks of the page. */}
        <div role="dialog" aria-label={label}>
          <Combobox.Search
            aria-label={words.searchIn(label)}
            placeholder={words.searchIn(label)}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          {found.error !== null && found.data === undefined && <Refusal error={found.error} />}
          <Combobox.Options
            aria-label={label}
            {...markOutdated(typed.trim() !== search || found.isPlaceholderData, styles.found)}
          >
            {options.map(({ id, name }) => (
              <Combobox.Option key={id} value={id} active={id === value} className={styles.option}>
                <bdi>{name}</bdi>
                {id === value && <Icon name="check" size={14} />}
              </Combobox.Option>
            ))}
          </Combobox.Options>
          {found.data?.length === 0 && (
            <p role="status" className={styles.none}>
              {words.nothingFound}
            </p>
          )}
        </div>
      </Combobox.Dropdown>
    </Combobox>
  )
}
