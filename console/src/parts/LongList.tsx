import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useFormat } from '../format.ts'
import { useWords } from '../words/words.tsx'
import styles from './LongList.module.css'

interface Props<Item> {
  items: Item[]
  /** Entries that are shown first, and added by each click. */
  step: number
  className?: string
  itemKey: (item: Item) => string
  render: (item: Item) => ReactNode
}

/** A list whose entries each send a request, such as for their name: shows some, the count of all, and more on request. */
export function LongList<Item>({ items, step, className, itemKey, render }: Props<Item>) {
  const words = useWords('common')
  const format = useFormat()
  const [most, setMost] = useState(step)
  return (
    <>
      <ul className={className}>
        {items.slice(0, most).map((item) => (
          <li key={itemKey(item)}>{render(item)}</li>
        ))}
      </ul>
      {items.length > most && (
        <div className={styles.more}>
          <span role="status">{words.shownOf(format.number(most), format.number(items.length))}</span>
          <Button size="compact-sm" onClick={() => setMost(most + step)}>
            {words.showMore}
          </Button>
        </div>
      )}
    </>
  )
}
