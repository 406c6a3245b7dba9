/** Works through the items, `lanes` of them at a time. */
export async function inLanes<T>(items: T[], lanes: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values()
  const lane = async () => {
    // All lanes take from the one iterator.
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
