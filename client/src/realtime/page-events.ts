/** Events of a browser page after which the connection may be broken, or may be possible again. */

interface PageEvents {
  addEventListener?: (name: string, listener: () => void) => void
  removeEventListener?: (name: string, listener: () => void) => void
}

/** @returns a function that ends it; on Node.js there are no such events */
export function reactToPage({ onBack, onDoubt }: { onBack: () => void; onDoubt: () => void }): () => void {
  const page = globalThis as PageEvents
  const listeners: [name: string, listener: () => void][] = [
    ['online', onBack],
    ['offline', onDoubt],
    ['pageshow', onDoubt],
    ['visibilitychange', onDoubt],
  ]
  for (const [name, listener] of listeners) page.addEventListener?.(name, listener)
  return () => {
    for (const [name, listener] of listeners) page.removeEventListener?.(name, listener)
  }
}
