import { Modal } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useState } from 'react'
import type { PageLink } from '../links.ts'
import { Icon, type IconName } from '../parts/Icon.tsx'
import { useWords } from '../words/words.tsx'
import styles from './Palette.module.css'
import { type Found, usePaletteSearch } from './use-palette-search.ts'

const SEARCH_DELAY_MS = 150

/** Finds pages, devices, assets and models by the keyboard (Ctrl+K). */
export default function Palette({ onClose }: { onClose: () => void }) {
  const words = useWords('shell')
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [wanted] = useDebouncedValue(text.trim(), SEARCH_DELAY_MS)
  const { found, isSearching } = usePaletteSearch(wanted)
  const [chosen, setChosen] = useState(0)
  const id = useId()
  const index = Math.min(chosen, Math.max(0, found.length - 1))
  const open = (link: PageLink) => {
    onClose()
    void navigate(link as { to: string })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && found.length > 0) {
      event.preventDefault()
      setChosen((index + step + found.length) % found.length)
    }
    if (event.key === 'Enter' && found[index] !== undefined) open(found[index].link)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="12vh"
      centered={false}
    >
      <div className={styles.line}>
        <Icon name="search" />
        <input
          data-autofocus
          className={styles.input}
          role="combobox"
          aria-expanded={found.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length > 0 ? `${id}-${index}` : undefined}
          aria-label={words.searchAll}
          placeholder={words.searchAll}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setChosen(0)
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div role="listbox" id={`${id}-list`} aria-label={words.search} className={styles.list}>
        {found.map((one, position) => (
          <Result
            key={`${one.kind} ${one.id}`}
            id={`${id}-${position}`}
            found={one}
            isChosen={position === index}
            onChoose={() => open(one.link)}
          />
        ))}
      </div>
      <p className={styles.note} role="status">
        {isSearching
          ? words.searching
          : found.length === 0
            ? words.nothingFound(wanted)
            : `${words.found(found.length)} · ${words.paletteKeys}`}
      </p>
    </Modal>
  )
}

const icons: Record<Found['kind'], IconName> = {
  page: 'explore',
  device: 'devices',
  asset: 'assets',
  model: 'models',
}

function Result(props: { id: string; found: Found; isChosen: boolean; onChoose: () => void }) {
  const { found } = props
  return (
    <div
      role="option"
      id={props.id}
      aria-selected={props.isChosen}
      className={styles.result}
      onClick={props.onChoose}
    >
      <Icon name={found.icon ?? icons[found.kind]} />
      <span className={styles.name}>
        <bdi>{found.name}</bdi>
      </span>
      {found.detail !== undefined && (
        <code className={styles.detail}>
          <bdi>{found.detail}</bdi>
        </code>
      )}
    </div>
  )
}
