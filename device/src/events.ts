/** Typed events. Unlike in Node, an `error` without a listener does not end the process. */
export interface Events<Map extends object> {
  /** Returns the function that removes the listener. */
  on<Name extends keyof Map>(name: Name, listener: (event: Map[Name]) => void): () => void
  emit<Name extends keyof Map>(name: Name, event: Map[Name]): void
}

/** @param onUnheard called for every event without a listener */
export function createEvents<Map extends object>(
  onUnheard: <Name extends keyof Map>(name: Name, event: Map[Name]) => void,
): Events<Map> {
  const listeners: { [Name in keyof Map]?: Set<(event: Map[Name]) => void> } = {}
  return {
    on(name, listener) {
      const own = (event: Map[typeof name]) => listener(event)
      const set = (listeners[name] ??= new Set())
      set.add(own)
      return () => void set.delete(own)
    },
    emit(name, event) {
      const set = listeners[name]
      if (!set?.size) return onUnheard(name, event)
      for (const listener of set) callApart(listener, event)
    },
  }
}

/** An error of a listener must not stop the connection; it becomes an uncaught exception. */
function callApart<Event>(listener: (event: Event) => void, event: Event): void {
  try {
    listener(event)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
