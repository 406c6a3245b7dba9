import type { ComponentType } from 'react'
import type { IconName } from '../../../parts/Icon.tsx'
import type { Widget } from '../board/board.ts'
import type { Need } from '../values/history.ts'

/** Parts of the form that edits the options of a widget. */
export type OptionField =
  | 'signals'
  | 'plainSignals'
  | 'signal'
  | 'scale'
  | 'period'
  | 'aggregation'
  | 'interval'
  | 'compare'
  | 'collapsed'
  | 'asset'
  | 'assets'
  | 'command'
  | 'property'
  | 'rules'
  | 'severity'
  | 'history'
  | 'resource'
  | 'picture'
  | 'markers'
  | 'dashboard'
  | 'text'

/** A kind of widget: one file with one of these, and one line in `kinds.ts`. */
export interface WidgetKind {
  /** As in the data; its name is in the words, `kinds`. */
  kind: string
  icon: IconName
  size: { w: number; h: number }
  View: ComponentType<{ widget: Widget }>
  /** Fields of its form, in their order. */
  fields: OptionField[]
  /** Options of a new widget. */
  initial: Record<string, unknown>
  /** Which values of the past it shows; absent if it shows the newest alone. */
  history?: (options: Record<string, unknown>) => Need['aggregation']
  /** Whether the widget changes something; a page that only shows leaves it out. */
  sends?: boolean
  /** Whether the widget shows a heading even without a title. */
  hasHeading?: boolean
}
