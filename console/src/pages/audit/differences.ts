/** One value that a change has made, changed or removed. */
export interface Difference {
  /** Such as `contacts.users`; fields with dots in their names are not told apart. */
  path: string
  /** undefined if it was not there. */
  before: unknown
  /** undefined if it is not there any more. */
  after: unknown
}

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Lists what differs, field by field in their order. A list is one value: its entries have no names. */
export function listDifferences(before: unknown, after: unknown, path = ''): Difference[] {
  const [old, present] = [before ?? undefined, after ?? undefined]
  if (isFields(old) || isFields(present)) {
    if ((old === undefined || isFields(old)) && (present === undefined || isFields(present))) {
      const [a, b]: [Fields, Fields] = [old ?? {}, present ?? {}]
      const names = [...new Set([...Object.keys(a), ...Object.keys(b)])]
      return names.flatMap((name) =>
        listDifferences(a[name], b[name], path === '' ? name : `${path}.${name}`),
      )
    }
  }
  if (JSON.stringify(old) === JSON.stringify(present)) return []
  return [{ path, before: old, after: present }]
}
