import { type ReactNode } from 'react'
import type { PageLink } from '../../links.ts'
import { PartBoundary } from '../PartBoundary.tsx'
import { CodeExamples } from '../code/CodeExamples.tsx'
import type { CodeExample } from '../code/example.ts'
import { Loading } from '../State.tsx'
import { PageHead } from './ListPage.tsx'
import styles from './Page.module.css'
import { type TabHead, TabList, tabId, tabPanelId } from './TabList.tsx'

export interface Tab<Id extends string = string> extends TabHead<Id> {
  /** Rendered only while the tab is open; lazy components are welcome. */
  render: () => ReactNode
  /** The requests behind the tab, for its code examples. */
  requests?: CodeExample[]
}

interface Props<Id extends string> {
  /** The list that it belongs to. */
  parent: { title: string; link: PageLink }
  title: string
  /** The identity and the state in one line: `<StateMark …/>`, `<Id …/>`, a time. */
  facts: ReactNode
  /** The requests behind every tab, for the code examples; those of the open tab follow. */
  requests?: CodeExample[]
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
  const requests = [...(props.requests ?? []), ...(open.requests ?? [])]
  const actions = (
    <>
      {requests.length > 0 && <CodeExamples requests={requests} />}
      {props.actions}
    </>
  )
  return (
    <div className={styles.page} data-fill>
      <PageHead parent={parent} title={props.title} actions={actions} />
      <div className={styles.facts}>{facts}</div>
      {Boolean(props.children) && <div className={styles.above}>{props.children}</div>}
      <TabList tabs={tabs} open={open.id} onTab={onTab} label={props.label} prefix="tab" />
      <div
        role="tabpanel"
        id={tabPanelId('tab')}
        aria-labelledby={tabId('tab', open.id)}
        tabIndex={-1}
        className={styles.panel}
      >
        <PartBoundary fallback={<Loading />}>{open.render()}</PartBoundary>
      </div>
    </div>
  )
}
