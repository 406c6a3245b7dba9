/**
 * Keeps what is pushed while answers are awaited: an answer may lack it, and replaces the data that it was added to.
 */
export interface Awaited<Event> {
  /** Begins to keep events. Called before the request is sent, and ended once the answer has its events. */
  begin: () => { events: Event[]; end: () => void }
  record: (event: Event) => void
  /** Whether an answer is awaited. */
  isWaiting: () => boolean
}

export function createAwaited<Event>(): Awaited<Event> {
  const waiting = new Set<Event[]>()
  return {
    begin: () => {
      const events: Event[] = []
      waiting.add(events)
      return { events, end: () => waiting.delete(events) }
    },
    record: (event) => {
      for (const events of waiting) events.push(event)
    },
    isWaiting: () => waiting.size > 0,
  }
}
