import { type KeyboardEvent, type ReactNode, Suspense } from 'react'
import type { PageLink } from '../../links.ts'
import { Icon } from '../Icon.tsx'
import { PageAnchor } from '../PageAnchor.tsx'
import { Loading } from '../State.tsx'
import { PageHead } from './ListPage.tsx'
import styles from './Page.module.css'

export interface Tab<Id extends string = string> {
  id: Id
  title: string
  /** How many are behind it. */
  count?: string
  /** Rendered only while the tab is open; lazy components are welcome. */
  render: () => ReactNode
}

interface Props<Id extends string> {
  /** The list that it belongs to. */
  parent: { title: string; link: PageLink }
  title: string
  /** The identity and the state in one line: `<StateMark …/>`, `<Id …/>`, a time. */
  facts: ReactNode
  actions?: ReactNode
  /** Content above all tabs, such as a draft bar or an error. */
  children?: ReactNode
  tabs: Tab<Id>[]
  /** From the address: `useUrlState({ tab: choice(['live', 'history']) })`. */
  tab: Id
  onTab: (tab: Id) => void
  label: string
}

/** Identity, state, actions, and tabs that stand in the address. */
export function DetailLayout<Id extends string>(props: Props<Id>) {
  const { parent, facts, tabs, tab, onTab } = props
  const open = tabs.find(({ id }) => id === tab) ?? tabs[0]!
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const next = tabs[(tabs.indexOf(open) + step + tabs.length) % tabs.length]!
    onTab(next.id)
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus()
  }
  return (
    <div className={styles.page} data-fill>
      <PageAnchor link={parent.link} className={styles.parent}>
        <Icon name="back" size={14} />
        {parent.title}
      </PageAnchor>
      <PageHead title={props.title} actions={props.actions} />
      <div className={styles.facts}>{facts}</div>
      {Boolean(props.children) && <div className={styles.above}>{props.children}</div>}
      <div role="tablist" className={styles.tabs} aria-label={props.label} onKeyDown={onKeyDown}>
        {tabs.map(({ id, title, count }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            data-tab={id}
            aria-selected={id === open.id}
            aria-controls="tab-panel"
            tabIndex={id === open.id ? 0 : -1}
            className={styles.tab}
            onClick={() => onTab(id)}
          >
            {title}
            {count !== undefined && <span className={styles.count}>{count}</span>}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id="tab-panel"
        aria-labelledby={`tab-${open.id}`}
        tabIndex={-1}
        className={styles.panel}
      >
        <Suspense fallback={<Loading />}>{open.render()}</Suspense>
      </div>
    </div>
  )
}
