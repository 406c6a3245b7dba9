/** A promise that a test resolves. */
export function createGate(): { opened: Promise<void>; open: () => void } {
  let resolveOpened: (() => void) | undefined
  const opened = new Promise<void>((resolve) => (resolveOpened = resolve))
  return { opened, open: () => resolveOpened?.() }
}
