/**
 * Works on the items in their order, on as many at a time as there are lanes. A lane ends at the first item that fails.
 * @param mayBegin is asked before each item
 * @returns how many items were not begun
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
