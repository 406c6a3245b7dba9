/** The known name that somebody probably meant. */

/** Longer names are not compared: the time of a comparison grows with the product of both lengths. */
const MAX_LENGTH = 64
/** A shorter beginning of a name says too little. */
const MIN_PREFIX = 4

/**
 * Compares without upper and lower case, `_` and `-`, so that `expires_after` is near `expiresAfterSeconds`.
 * @returns undefined when nothing is near
 */
export function nearestName(name: string, known: string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  const given = plain(name)
  const distances = known.map((candidate) => distanceBetween(given, plain(candidate)))
  const smallest = Math.min(...distances)
  return smallest <= Math.max(1, Math.floor(given.length / 4))
    ? known[distances.indexOf(smallest)]
    : known.find((candidate) => given.length >= MIN_PREFIX && plain(candidate).startsWith(given))
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[_-]/g, '')

/** Levenshtein's distance: how many characters are inserted, deleted or replaced. */
function distanceBetween(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const replaced = previous[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1))
    }
    previous = current
  }
  return previous[to.length]!
}
