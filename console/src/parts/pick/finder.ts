export interface Named {
  id: string
  name: string
}

/** How a field finds things of a kind on the server. */
export interface Finder {
  /** Names the kind in the cache, such as `model`. */
  kind: string
  /** Finds things by a part of their name; the first ones for ''. */
  find: (search: string, signal: AbortSignal) => Promise<Named[]>
  /** Reads one, for the name of a chosen thing that the search did not bring. */
  read: (id: string, signal: AbortSignal) => Promise<Named>
}
