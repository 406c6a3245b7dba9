/** Returns the same text for JSON values that are equal, whatever the order of the keys of their objects. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, child: unknown) => (isObject(child) ? sortKeys(child) : child))

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const sortKeys = (object: object) =>
  Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
