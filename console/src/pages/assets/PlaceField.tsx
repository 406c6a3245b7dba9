import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Assets.module.css'
import type { Place } from './place.ts'
import { SearchedTree } from './TreePanel.tsx'
import { useTree } from './use-tree.ts'

interface Props {
  value: Place | null
  /** Name of the place as shown where it was chosen; empty if it is not known. */
  name: string
  onChange: (place: Place | null, name: string) => void
}

/** Field for the place of a new thing, which is chosen in the tree. */
export function PlaceField({ value, name, onChange }: Props) {
  const words = useWords('assets')
  const [isOpen, setOpen] = useState(false)
  const known = usePlaceName(value, name)
  return (
    <div>
      <p className={styles.label}>{words.place}</p>
      <div className={styles.placeField}>
        <Icon name={value?.type === 'node' ? 'node' : 'assets'} />
        <span className={styles.entryName}>
          <bdi>{value === null ? words.nowhere : known}</bdi>
        </span>
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {words.choosePlace}
        </Button>
      </div>
      {isOpen && (
        <PickPlace
          selected={value}
          onPick={(place, picked) => {
            onChange(place, picked)
            setOpen(false)
          }}
        />
      )}
    </div>
  )
}

/** Tree in a frame of fixed height, from which a place is chosen. */
export function PickPlace(props: {
  selected: Place | null
  onPick: (place: Place | null, name: string) => void
}) {
  const words = useWords('assets')
  const tree = useTree()
  return (
    <div className={styles.pick}>
      <SearchedTree
        tree={tree}
        selected={props.selected}
        topLabel={words.nowhere}
        hasAssets
        onSelect={(place, name) => props.onPick(place, name ?? words.nowhere)}
      />
    </div>
  )
}

/** Name of a place. It is loaded if it is not known, as for a place from the address of the page. */
function usePlaceName(place: Place | null, name: string): string {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['place', place?.type, place?.id],
    queryFn: ({ signal }): Promise<{ displayName: string }> =>
      place!.type === 'node'
        ? api.get('/v1/tree/nodes/{nodeId}', { path: { nodeId: place!.id }, signal: withTimeout(signal) })
        : api.get('/v1/assets/{assetId}', { path: { assetId: place!.id }, signal: withTimeout(signal) }),
    enabled: place !== null && name === '',
    staleTime: 60_000,
  })
  return name || (data?.displayName ?? place?.id ?? '')
}
