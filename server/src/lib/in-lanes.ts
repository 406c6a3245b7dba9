/**
 * Processes the items in order, with as many at a time as there are lanes. A lane ends at its first failure.
 * @param mayBegin called before each item; false ends the work
 * @returns the number of items that were not begun
 */
export async function inLanes<T>(
  items: readonly T[],
  { lanes, mayBegin = () => true }: { lanes: number; mayBegin?: () => boolean },
  work: (item: T) => Promise<unknown>,
): Promise<number> {
  let begun = 0
  const lane = async () => {
    while (begun < items.length && mayBegin()) await work(items[begun++]!)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return items.length - begun
}
