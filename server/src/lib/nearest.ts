/** Finds the known name that was probably meant. */

/** Longer names are not compared: the cost grows with the product of both lengths. */
const MAX_LENGTH = 64
/** A shorter prefix is too ambiguous. */
const MIN_PREFIX = 4

/**
 * Ignores case, `_` and `-`, so that `expires_after` is near `expiresAfterSeconds`.
 * @returns undefined if no name is near
 */
export function findNearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  const given = plain(name)
  const distances = known.map((candidate) => distanceBetween(given, plain(candidate)))
  const smallest = Math.min(...distances)
  return smallest <= Math.max(1, Math.floor(given.length / 4))
    ? known[distances.indexOf(smallest)]
    : known.find((candidate) => given.length >= MIN_PREFIX && plain(candidate).startsWith(given))
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[_-]/g, '')

/** Edit distance: characters to insert, delete, replace or exchange with their neighbour. */
function distanceBetween(from: string, to: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const [one, other] = [from[row - 1], to[column - 1]]
      const isExchanged = row > 1 && column > 1 && one === to[column - 2] && from[row - 2] === other
      current.push(
        Math.min(
          previous[column - 1]! + (one === other ? 0 : 1),
          previous[column]! + 1,
          current[column - 1]! + 1,
          isExchanged ? beforePrevious[column - 2]! + 1 : Infinity,
        ),
      )
    }
    beforePrevious = previous
    previous = current
  }
  return previous[to.length]!
}
