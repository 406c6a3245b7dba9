/** Compares the sides of a twin, and makes the merge patch (RFC 7386) between two states. */
export type Properties = Record<string, unknown>

export interface TwinRow {
  path: string
  desired: unknown
  reported: unknown
  state: 'same' | 'differs' | 'missing' | 'extra'
}

export const isDifferent = ({ state }: TwinRow) => state === 'differs' || state === 'missing'

export interface Change {
  path: string
  before: unknown
  after: unknown
}

export const isObject = (value: unknown): value is Properties =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEqual = (left: unknown, right: unknown): boolean => {
  if (Object.is(left, right)) return true
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((each, index) => isEqual(each, right[index]))
  if (!isObject(left) || !isObject(right)) return false
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...names].every(
    (name) => Object.hasOwn(left, name) === Object.hasOwn(right, name) && isEqual(left[name], right[name]),
  )
}

/** Removes `$version`, which is not a property. */
export function withoutVersion({ $version: _, ...properties }: Properties): Properties {
  return properties
}

/** Desired and reported values by path, in the order of the paths. */
export function listTwinRows(desired: Properties, reported: Properties): TwinRow[] {
  return listChanges(desired, reported, { hasEqual: true }).map(({ path, before, after }) => ({
    path,
    desired: before,
    reported: after,
    state:
      before === undefined
        ? 'extra'
        : after === undefined
          ? 'missing'
          : isEqual(before, after)
            ? 'same'
            : 'differs',
  }))
}

/** Differences between two states, with an entry for each value. */
export function listChanges(before: Properties, after: Properties, { hasEqual = false } = {}): Change[] {
  return [...walk(before, after, '')]
    .filter((change) => hasEqual || !isEqual(change.before, change.after))
    .toSorted((a, b) => a.path.localeCompare(b.path))
}

function* walk(before: unknown, after: unknown, path: string): Generator<Change> {
  const sides = [before, after].filter((side) => side !== undefined)
  const isNested =
    sides.every((side) => isObject(side)) && sides.some((side) => Object.keys(side as object).length > 0)
  if (!isNested) return yield { path, before, after }
  const [left, right] = [(before ?? {}) as Properties, (after ?? {}) as Properties]
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)]))
    yield* walk(own(left, name), own(right, name), path === '' ? name : `${path}.${name}`)
}

const own = (properties: Properties, name: string) =>
  Object.hasOwn(properties, name) ? properties[name] : undefined

/** Merge patch that turns one state into another; null removes a property. */
export function makePatch(before: Properties, after: Properties): Properties {
  const entries: [string, unknown][] = []
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) entries.push([name, null])
  for (const [name, value] of Object.entries(after)) {
    const present = own(before, name)
    if (isEqual(present, value)) continue
    entries.push([name, isObject(present) && isObject(value) ? makePatch(present, value) : value])
  }
  return Object.fromEntries(entries)
}

export function applyPatch(state: Properties, patch: Properties): Properties {
  const next = new Map(Object.entries(state))
  for (const [name, value] of Object.entries(patch)) {
    const present = next.get(name)
    if (value === null) next.delete(name)
    else next.set(name, isObject(value) ? applyPatch(isObject(present) ? present : {}, value) : value)
  }
  return Object.fromEntries(next)
}
