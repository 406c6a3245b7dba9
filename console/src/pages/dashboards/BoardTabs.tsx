import { type ReactNode, useId } from 'react'
import { TabList, tabId, tabPanelId } from '../../parts/layout/TabList.tsx'
import { useWords } from '../../words/words.tsx'
import type { Board } from './board/board.ts'
import { findTab } from './board/tabs.ts'

interface Props {
  board: Board
  tab: string
  onTab: (tab: string) => void
  /** Widgets of the open tab. */
  children: ReactNode
}

/** Tabs of a board above the widgets of the open one; the widgets alone if the board has no tabs. */
export function BoardTabs({ board, tab, onTab, children }: Props) {
  const words = useWords('dashboards')
  const prefix = useId()
  const open = findTab(board, tab)
  if (open === undefined) return children
  const tabs = board.tabs.map(({ id, title }) => ({ id, title: title.trim() || words.unnamedTab }))
  return (
    <>
      <TabList tabs={tabs} open={open.id} onTab={onTab} label={words.tabs} prefix={prefix} />
      <div role="tabpanel" id={tabPanelId(prefix)} aria-labelledby={tabId(prefix, open.id)} tabIndex={-1}>
        {children}
      </div>
    </>
  )
}
