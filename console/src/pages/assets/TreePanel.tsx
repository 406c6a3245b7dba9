import { Button, Drawer, TextInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure, useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { Icon } from '../../parts/Icon.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Assets.module.css'
import { FoundPlaces } from './FoundPlaces.tsx'
import type { Place, TreeChild } from './place.ts'
import { PlaceTree } from './PlaceTree.tsx'
import type { Tree } from './use-tree.ts'

interface Props {
  tree: Tree
  selected: Place | null
  onSelect: (place: Place | null) => void
  onDrop: (things: TreeChild[], target: Place | null, name: string) => void
}

/** The tree beside the list; on a phone behind a button. */
export function TreePanel(props: Props) {
  const words = useWords('assets')
  const isPhone = useMediaQuery('(max-width: 760px)', undefined, { getInitialValueInEffect: false })
  const [isOpen, drawer] = useDisclosure()
  if (!isPhone)
    return (
      <aside className={styles.panel} aria-label={words.tree}>
        <SearchedTree {...props} topLabel={words.all} />
      </aside>
    )
  const select = (place: Place | null) => {
    props.onSelect(place)
    drawer.close()
  }
  return (
    <div>
      <Button leftSection={<Icon name="assets" />} onClick={drawer.open}>
        {words.tree}
      </Button>
      <Drawer opened={isOpen} onClose={drawer.close} position="left" title={words.tree}>
        <div className={styles.drawer}>
          <SearchedTree {...props} topLabel={words.all} onSelect={select} />
        </div>
      </Drawer>
    </div>
  )
}

const SEARCH_DELAY_MS = 250

interface SearchedProps {
  tree: Tree
  selected: Place | null
  onSelect: (place: Place | null, name?: string) => void
  topLabel: string
  onDrop?: Props['onDrop']
  /** Whether the search finds assets, too; it always finds nodes. */
  hasAssets?: boolean
}

/** Tree with a search field; the results of a search replace the tree. */
export function SearchedTree({ hasAssets = false, ...props }: SearchedProps) {
  const words = useWords('assets')
  const [search, setSearch] = useState('')
  const [wanted] = useDebouncedValue(search.trim(), SEARCH_DELAY_MS)
  const label = hasAssets ? words.findPlace : words.findNode
  return (
    <>
      <TextInput
        type="search"
        aria-label={label}
        placeholder={label}
        leftSection={<Icon name="search" />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      {wanted === '' ? (
        <PlaceTree
          {...props}
          label={words.tree}
          onSelect={(place, entry) => props.onSelect(place, entry?.displayName)}
        />
      ) : (
        <FoundPlaces
          search={wanted}
          isTyping={search.trim() !== wanted}
          hasAssets={hasAssets}
          onSelect={props.onSelect}
        />
      )}
    </>
  )
}
