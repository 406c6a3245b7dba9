/** @returns the known name that was probably meant, or undefined where none is near */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  let nearest: { name: string; distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (!nearest || distance < nearest.distance) nearest = { name: candidate, distance }
  }
  const mostEdits = Math.max(1, Math.floor(name.length / 3))
  return nearest && nearest.distance <= mostEdits ? nearest.name : undefined
}

const LONGEST = 128

/** Characters to insert, delete, replace or exchange with their neighbour. Infinite for texts that are no names. */
function editDistance(one: string, other: string): number {
  if (Math.max(one.length, other.length) > LONGEST) return Infinity
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const isEqual = one[i - 1] === other[j - 1]
      const isExchanged = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = Math.min(
        row[j]! + 1,
        next[j - 1]! + 1,
        row[j - 1]! + (isEqual ? 0 : 1),
        isExchanged ? before[j - 2]! + 1 : Infinity,
      )
    }
    before = row
    row = next
  }
  return row[other.length]!
}
