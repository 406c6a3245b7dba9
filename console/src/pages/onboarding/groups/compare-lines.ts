/** A line of one of two texts, and whether the other text lacks it. */
export interface ComparedLine {
  text: string
  isOnlyHere: boolean
}

/** Greatest number of line pairs that are compared; larger parts count as different from the first to the last line. */
const MOST_PAIRS = 4_000_000

/** Compares two texts line by line by their longest common subsequence. */
export function compareLines(left: string, right: string): [ComparedLine[], ComparedLine[]] {
  const [a, b] = [left.split('\n'), right.split('\n')]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  const most = Math.min(a.length, b.length) - start
  while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const pairs = findPairs(a.slice(start, a.length - end), b.slice(start, b.length - end))
  const mark = (lines: string[], common: ReadonlySet<number>) =>
    lines.map((text, index) => ({
      text,
      isOnlyHere: index >= start && index < lines.length - end && !common.has(index - start),
    }))
  return [mark(a, new Set(pairs.map(([i]) => i))), mark(b, new Set(pairs.map(([, j]) => j)))]
}

/** @returns the indexes of equal lines in both lists, in order */
function findPairs(a: string[], b: string[]): [number, number][] {
  if (a.length * b.length > MOST_PAIRS) return []
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j]!
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const pairs: [number, number][] = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++])
    else if (at(i + 1, j) >= at(i, j + 1)) i++
    else j++
  }
  return pairs
}
