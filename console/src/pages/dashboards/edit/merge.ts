/** Merges the changes of two editors, widget by widget. */
import { type Data, readBoard, type Widget } from '../board/board.ts'
import { listOfTab } from '../board/tabs.ts'
import { hasOverlap, placeWidget } from '../grid/grid.ts'
import { isSame } from './is-same.ts'

export interface Conflict {
  /** `widget` and the id of a widget, or `field` and the name of a field of the data. */
  key: string
  mine: unknown
  theirs: unknown
}

export interface Merge {
  data: Data
  /** Parts that both editors changed, each differently; `data` has the version of the other editor. */
  conflicts: Conflict[]
}

/** @param chosen keys of conflicts that are decided for mine */
export type Merger = (mine: Data, chosen?: ReadonlySet<string>) => Merge

export const mergeData = (base: Data, mine: Data, theirs: Data, chosen?: ReadonlySet<string>): Merge =>
  createMerger(base, theirs)(mine, chosen)

/** Compares what two editors share once, since a draft has hundreds of steps to undo, each of up to 1 MiB. */
export function createMerger(base: Data, theirs: Data): Merger {
  const [ofBase, ofTheirs] = [splitData(base), splitData(theirs)]
  const isTheirChange = memoize((key) => !isSame(ofBase.get(key), ofTheirs.get(key)))
  const before = listPlaces(base)
  return (mine, chosen = new Set()) => {
    const ofMine = splitData(mine)
    const conflicts: Conflict[] = []
    const merged = new Map<string, unknown>()
    let isChanged = ofMine.size !== ofBase.size
    for (const key of new Set([...ofTheirs.keys(), ...ofMine.keys()])) {
      const [own, other] = [ofMine.get(key), ofTheirs.get(key)]
      const isMyChange = !isSame(ofBase.get(key), own)
      if (isMyChange && isTheirChange(key) && !isSame(own, other))
        conflicts.push({ key, mine: own, theirs: other })
      merged.set(key, !isTheirChange(key) || chosen.has(key) ? own : other)
      isChanged ||= isMyChange
    }
    return isChanged
      ? { data: clearPlaces(joinData(merged), before, listPlaces(mine)), conflicts }
      : { data: theirs, conflicts: [] }
  }
}

function memoize<Result>(find: (key: string) => Result): (key: string) => Result {
  const known = new Map<string, Result>()
  return (key) => {
    if (!known.has(key)) known.set(key, find(key))
    return known.get(key)!
  }
}

type Places = ReadonlyMap<string, Pick<Widget, 'position' | 'tab'>>

/** Pushes widgets down where one that the draft added or moved covers them, since each editor placed it on free cells. */
function clearPlaces(merged: Data, before: Places, own: Places): Data {
  const board = readBoard(merged)
  if (board === null) return merged
  let { widgets } = board
  for (const { id, position, tab } of board.widgets) {
    const isMoved = isSame(own.get(id), { position, tab }) && !isSame(before.get(id), { position, tab })
    if (!isMoved) continue
    const beside = listOfTab({ ...board, widgets }, tab)
    if (!hasOverlap(beside, id)) continue
    const placed = new Map(placeWidget(beside, id, position, board.columns).map((one) => [one.id, one]))
    widgets = widgets.map((one) => placed.get(one.id) ?? one)
  }
  const places = new Map(board.widgets.map((part, index) => [part, widgets[index]!.position]))
  const parts = merged.widgets as Widget[]
  return {
    ...merged,
    widgets: parts.map((part) => {
      const position = places.get(part)
      return position === undefined || isSame(position, part.position) ? part : { ...part, position }
    }),
  }
}

const listPlaces = (data: Data): Places =>
  new Map(readBoard(data)?.widgets.map(({ id, position, tab }) => [id, { position, tab }]) ?? [])

/** Keys of the parts of data: a widget by its id, and a field by its name. */
export const WIDGET = 'widget '
export const FIELD = 'field '

export function splitData(data: Data): Map<string, unknown> {
  const { widgets, ...fields } = data
  const parts = new Map(Object.entries(fields).map(([name, value]) => [FIELD + name, value]))
  if (!Array.isArray(widgets)) return parts
  for (const [index, widget] of widgets.entries()) {
    const key = WIDGET + ((widget as { id?: string } | null)?.id ?? `#${index}`)
    parts.set(parts.has(key) ? `${key} #${index}` : key, widget)
  }
  return parts
}

function joinData(parts: Map<string, unknown>): Data {
  const present = [...parts].filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(
      present
        .filter(([key]) => key.startsWith(FIELD))
        .map(([key, value]) => [key.slice(FIELD.length), value]),
    ),
    widgets: present.filter(([key]) => key.startsWith(WIDGET)).map(([, value]) => value),
  }
}
