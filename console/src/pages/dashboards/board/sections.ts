/** Sections of a board: a widget of the kind `section` is the heading of what stands below it, up to the next one. */
import { createContext } from 'react'
import type { Widget } from './board.ts'

export const SECTION = 'section'

export const isSection = ({ kind }: Widget): boolean => kind === SECTION

/** Removes the widgets of collapsed sections, and moves up what stands below them. */
export function collapseSections(widgets: Widget[], isCollapsed: (section: Widget) => boolean): Widget[] {
  const heads = widgets.filter(isSection).toSorted((a, b) => a.position.y - b.position.y)
  const bounds = heads.map((head, index) => {
    const from = head.position.y + head.position.h
    const to = heads[index + 1]?.position.y ?? Infinity
    return { head, to, removed: isCollapsed(head) ? Math.max(0, to - from) : 0 }
  })
  return widgets.flatMap((widget) => {
    const { y } = widget.position
    const above = bounds.filter(({ head }) => head.position.y <= y)
    const own = above.at(-1)
    if (own && own.head !== widget && !isSection(widget) && isCollapsed(own.head)) return []
    const removed = above.filter(({ to }) => to <= y).reduce((sum, bound) => sum + bound.removed, 0)
    return removed === 0 ? [widget] : [{ ...widget, position: { ...widget.position, y: y - removed } }]
  })
}

/** Collapsed sections of the board that is looked at. An editor has none, since it shows all widgets. */
export interface Sections {
  isCollapsed: (section: Widget) => boolean
  toggle: (sectionId: string) => void
}

export const SectionsContext = createContext<Sections | null>(null)
