import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { Icon } from '../../parts/Icon.tsx'
import { useWords } from '../../words/words.tsx'
import type { OwnerList } from './find-owners.ts'
import { OwnerEntries } from './OwnerEntries.tsx'
import type { Signal } from './signal.ts'
import styles from './Explore.module.css'

interface Props {
  chosen: Signal[]
  onToggle: (signal: Signal) => void
}

const SEARCH_DELAY_MS = 200

/** Picker of signals from the tree, from all assets and from all devices; a search narrows all three at the server. */
export default function SignalPicker(props: Props) {
  const words = useWords('explore')
  const [search, setSearch] = useState('')
  const [isOpen, setOpen] = useState(props.chosen.length === 0)
  const [wanted] = useDebouncedValue(search.trim(), SEARCH_DELAY_MS)
  const lists: { title: string; list: OwnerList }[] = [
    {
      title: words.inTree,
      list: wanted === '' ? { kind: 'top' } : { kind: 'node', search: wanted },
    },
    { title: words.allAssets, list: { kind: 'asset', search: wanted } },
    { title: words.allDevices, list: { kind: 'client', search: wanted } },
  ]
  return (
    <aside className={styles.picker} aria-label={words.signals} data-open={isOpen || undefined}>
      <button type="button" className={styles.unfold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'up' : 'down'} />
        {words.chooseSignals(props.chosen.length)}
      </button>
      <div className={styles.pickerBody}>
        <TextInput
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          leftSection={<Icon name="search" />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <div className={styles.tree} tabIndex={-1}>
          {lists.map(({ title, list }) => (
            <section key={title} aria-label={title}>
              <h2 className={styles.group}>{title}</h2>
              <OwnerEntries
                {...props}
                list={list}
                isTyping={search.trim() !== wanted}
                empty={wanted === '' ? words.noneYet : words.nothingFound}
              />
            </section>
          ))}
        </div>
      </div>
    </aside>
  )
}
