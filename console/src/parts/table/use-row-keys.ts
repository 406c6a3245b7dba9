import { type KeyboardEvent, useState } from 'react'

interface Options {
  count: number
  scrollTo: (index: number) => void
  onOpen: (index: number) => void
  onToggle: (index: number) => void
}

const PAGE = 15

/** Arrow keys, Home, End and Page move between rows; Enter opens, Space selects. One row is in the tab order. */
export function useRowKeys({ count, scrollTo, onOpen, onToggle }: Options) {
  const [active, setActive] = useState(0)
  const present = Math.min(active, Math.max(0, count - 1))
  const moves: Record<string, number> = {
    ArrowDown: present + 1,
    ArrowUp: present - 1,
    PageDown: present + PAGE,
    PageUp: present - PAGE,
    Home: 0,
    End: count - 1,
  }
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const row = (event.target as Element).closest('[data-row]')
    const isOnRow = row === event.target
    if (row === null || event.ctrlKey || event.metaKey || event.altKey) return
    const next = moves[event.key]
    if (next !== undefined) {
      event.preventDefault()
      const index = Math.max(0, Math.min(count - 1, next))
      setActive(index)
      scrollTo(index)
      focusRow(event.currentTarget, index)
    } else if (isOnRow && event.key === 'Enter') {
      onOpen(present)
    } else if (isOnRow && event.key === ' ') {
      event.preventDefault()
      onToggle(present)
    }
  }
  return { active: present, setActive, onKeyDown }
}

/** The row may be rendered only after the list has scrolled there. */
function focusRow(grid: HTMLElement, index: number, attempts = 10) {
  requestAnimationFrame(() => {
    const row = grid.querySelector<HTMLElement>(`[data-row="${index}"]`)
    if (row !== null) row.focus({ preventScroll: true })
    else if (attempts > 0) focusRow(grid, index, attempts - 1)
  })
}
