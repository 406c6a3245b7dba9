import { type ReactNode, Suspense, useSyncExternalStore } from 'react'
import { countLoadedParts, onPartLoaded } from '../load-part.ts'

/**
 * A `Suspense` for parts of the console that are still to be loaded, which shows them as soon as they are there. React
 * alone would leave the fallback for 300 ms more whenever it has shown another one just before.
 *
 * The promises that the children wait for must be kept outside of the boundary. React discards the state of children that
 * have never been shown, so that a promise in that state would be made, and its part loaded, again at each attempt.
 */
export function PartBoundary({ fallback, children }: { fallback?: ReactNode; children: ReactNode }) {
  // React delays only attempts that it makes by itself: an update of the boundary is shown at once.
  useSyncExternalStore(onPartLoaded, countLoadedParts)
  return <Suspense fallback={fallback}>{children}</Suspense>
}
