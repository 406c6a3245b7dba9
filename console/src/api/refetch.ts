/**
 * How often a page reads its subject again, once it has one: where it was not found, or may not be seen, each attempt
 * would show the page as loading.
 */
export const whileShown =
  (intervalMs: number) =>
  ({ state }: { state: { data: unknown } }): number | false =>
    state.data === undefined ? false : intervalMs
