import { SECTION } from '../board/sections.ts'
import type { WidgetKind } from './kind.ts'

/** The frame of a section shows all of it. */
export const section: WidgetKind = {
  kind: SECTION,
  icon: 'rail',
  size: { w: 24, h: 1 },
  View: () => null,
  fields: ['collapsed'],
  initial: {},
}
