import { type ReactNode, use } from 'react'
import { Icon } from '../../../parts/Icon.tsx'
import type { Widget } from '../board/board.ts'
import { SectionsContext } from '../board/sections.ts'
import styles from './Grid.module.css'
import { placeStyle } from './place-style.ts'

interface Props {
  widget: Widget
  title: string
  /** Handles of the editor. */
  children?: ReactNode
  isSelected: boolean
}

/** The heading of a section, which hides and shows the widgets below it. */
export function SectionFrame({ widget, title, children, isSelected }: Props) {
  const sections = use(SectionsContext)
  const isCollapsed = sections?.isCollapsed(widget) ?? false
  const text = (
    <>
      <Icon name={isCollapsed ? 'right' : 'down'} />
      <bdi>{title}</bdi>
    </>
  )
  return (
    <div
      className={styles.section}
      style={placeStyle(widget.position)}
      data-widget={widget.id}
      data-editing={sections === null || undefined}
      data-selected={isSelected || undefined}
    >
      <h2 className={styles.sectionTitle} title={title}>
        {sections === null ? (
          text
        ) : (
          <button
            type="button"
            className={styles.fold}
            aria-expanded={!isCollapsed}
            onClick={() => sections.toggle(widget.id)}
          >
            {text}
          </button>
        )}
      </h2>
      {children}
    </div>
  )
}
