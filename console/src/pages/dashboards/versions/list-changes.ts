/** What a version of a dashboard has changed against the one before. */
import { type Difference, listDifferences } from '../../audit/differences.ts'
import type { Data } from '../board/board.ts'
import { FIELD, splitData, WIDGET } from '../edit/merge.ts'

export interface Saved {
  displayName: string
  description: string | null
  data: Data
}

export interface Change {
  key: string
  kind: 'added' | 'changed' | 'removed'
  /** The widget as it is now, else as it was; undefined for a field of the dashboard. */
  widget?: unknown
  /** The name of the field. */
  field?: string
  /** What differs within a changed widget or field. */
  differences: Difference[]
}

/** Lists added, changed and removed widgets, and the other fields that differ. */
export function listChanges(before: Saved, after: Saved): Change[] {
  const [old, present] = [splitSaved(before), splitSaved(after)]
  return [...new Set([...present.keys(), ...old.keys()])].flatMap((key): Change[] => {
    const [was, is] = [old.get(key), present.get(key)]
    const what = key.startsWith(WIDGET) ? { widget: is ?? was } : { field: key.slice(FIELD.length) }
    if (!old.has(key)) return [{ key, kind: 'added', ...what, differences: [] }]
    if (!present.has(key)) return [{ key, kind: 'removed', ...what, differences: [] }]
    const differences = listDifferences(was, is)
    return differences.length === 0 ? [] : [{ key, kind: 'changed', ...what, differences }]
  })
}

function splitSaved({ displayName, description, data }: Saved): Map<string, unknown> {
  const parts = splitData(data)
  // Fields of the data have names of their own beside those of the dashboard.
  return new Map<string, unknown>([
    [`${FIELD}displayName`, displayName],
    [`${FIELD}description`, description],
    ...[...parts].map(([key, value]): [string, unknown] => [
      key.startsWith(FIELD) ? `${FIELD}data.${key.slice(FIELD.length)}` : key,
      value,
    ]),
  ])
}
