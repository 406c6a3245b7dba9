/** Merges the changes of two editors, widget by widget. */
import { type Data, readBoard, type Widget } from '../board/board.ts'
import { listOfTab } from '../board/tabs.ts'
import { hasOverlap, placeWidget } from '../grid/grid.ts'

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

const isSame = (a: unknown, b: unknown): boolean => writeStable(a) === writeStable(b)

/** JSON with sorted keys, since the server keeps them in another order. */
const writeStable = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? 'undefined'

/** @param chosen keys of conflicts that are decided for mine */
export function mergeData(
  base: Data,
  mine: Data,
  theirs: Data,
  chosen: ReadonlySet<string> = new Set(),
): Merge {
  if (isSame(base, mine)) return { data: theirs, conflicts: [] }
  const [ofBase, ofMine, ofTheirs] = [splitData(base), splitData(mine), splitData(theirs)]
  const conflicts: Conflict[] = []
  const merged = new Map<string, unknown>()
  for (const key of new Set([...ofTheirs.keys(), ...ofMine.keys()])) {
    const [before, own, other] = [ofBase.get(key), ofMine.get(key), ofTheirs.get(key)]
    const isMine = isSame(before, other) || chosen.has(key)
    if (!isSame(own, other) && !isSame(before, own) && !isSame(before, other))
      conflicts.push({ key, mine: own, theirs: other })
    merged.set(key, isMine ? own : other)
  }
  return { data: clearPlaces(joinData(merged), base, mine), conflicts }
}

/** Pushes widgets down where one that the draft added or moved covers them, since each editor placed it on free cells. */
function clearPlaces(merged: Data, base: Data, mine: Data): Data {
  const board = readBoard(merged)
  if (board === null) return merged
  const [before, own] = [listPlaces(base), listPlaces(mine)]
  let { widgets } = board
  for (const { id, position, tab } of board.widgets) {
    const isMoved = isSame(own.get(id), { position, tab }) && !isSame(before.get(id), { position, tab })
    const beside = listOfTab({ ...board, widgets }, tab)
    if (!isMoved || !hasOverlap(beside, id)) continue
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

const listPlaces = (data: Data) =>
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
