import { Popover, TextInput } from '@mantine/core'
import { cloneElement, useState } from 'react'
import { systemZone } from '../format.ts'
import { Icon } from '../parts/Icon.tsx'
import type { MenuButton } from '../parts/on-first-use.tsx'
import { usePreferences } from '../preferences.tsx'
import { useWords } from '../words/words.tsx'
import lists from './ZonePicker.module.css'

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
const MAX_SHOWN = 40

/** The zone in which the console shows all times. */
export default function ZonePicker({ button }: { button: MenuButton }) {
  const words = useWords('shell')
  const { preferences, change } = usePreferences()
  const [isOpen, setOpen] = useState(false)
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase().replaceAll(' ', '_')
  const found = zones.filter((name) => name.toLowerCase().includes(wanted)).slice(0, MAX_SHOWN)
  const choose = (chosen: string) => {
    change({ zone: chosen })
    setOpen(false)
    setSearch('')
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} width={280} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>{cloneElement(button, { onClick: () => setOpen(!isOpen) })}</Popover.Target>
      <Popover.Dropdown aria-label={words.zone}>
        <TextInput
          data-autofocus
          aria-label={words.findZone}
          placeholder={words.findZone}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <ul className={lists.list}>
          {wanted === '' && (
            <Zone isOn={preferences.zone === 'system'} onChoose={() => choose('system')}>
              {words.zoneOfBrowser(systemZone())}
            </Zone>
          )}
          {found.map((name) => (
            <Zone key={name} isOn={preferences.zone === name} onChoose={() => choose(name)}>
              {name}
            </Zone>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  )
}

const Zone = (props: { isOn: boolean; onChoose: () => void; children: string }) => (
  <li>
    <button type="button" className={lists.zone} aria-pressed={props.isOn} onClick={props.onChoose}>
      {props.children}
      {props.isOn && <Icon name="check" />}
    </button>
  </li>
)
