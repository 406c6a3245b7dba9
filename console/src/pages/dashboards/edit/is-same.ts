/** Whether two values are the same JSON. The order of keys is not compared, since the server keeps them in another one. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((part, index) => isSame(part, b[index]))
    )
  const [ofA, ofB] = [a as Record<string, unknown>, b as Record<string, unknown>]
  // A key without a value is not written to JSON.
  return (
    Object.keys(ofA).every((key) => isSame(ofA[key], ofB[key])) &&
    Object.keys(ofB).every((key) => ofB[key] === undefined || ofA[key] !== undefined)
  )
}
