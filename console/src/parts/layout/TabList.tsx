import type { KeyboardEvent } from 'react'
import styles from './Page.module.css'

export interface TabHead<Id extends string = string> {
  id: Id
  title: string
  /** How many are behind it. */
  count?: string
}

interface Props<Id extends string> {
  tabs: TabHead<Id>[]
  open: Id
  onTab: (tab: Id) => void
  label: string
  /** Prefix of the ids of the tabs and their panel, which is unique on the page. */
  prefix: string
}

export const tabId = (prefix: string, id: string) => `${prefix}-${id}`
export const tabPanelId = (prefix: string) => `${prefix}-panel`

/** Heads of tabs, which arrow keys move between. */
export function TabList<Id extends string>({ tabs, open, onTab, label, prefix }: Props<Id>) {
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const at = tabs.findIndex(({ id }) => id === open)
    const next = tabs[(at + step + tabs.length) % tabs.length]!
    onTab(next.id)
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus()
  }
  return (
    <div role="tablist" className={styles.tabs} aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(({ id, title, count }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={tabId(prefix, id)}
          data-tab={id}
          aria-selected={id === open}
          aria-controls={tabPanelId(prefix)}
          tabIndex={id === open ? 0 : -1}
          className={styles.tab}
          onClick={() => onTab(id)}
        >
          {/* The blank separates the words of the name for screen readers. */}
          <bdi className={styles.tabTitle}>{title}</bdi>{' '}
          {count !== undefined && <span className={styles.count}>{count}</span>}
        </button>
      ))}
    </div>
  )
}
