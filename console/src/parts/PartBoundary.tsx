import { type ReactNode, Suspense, useSyncExternalStore } from 'react'
import { countLoadedParts, onPartLoaded } from '../load-part.ts'

/**
 * A `Suspense` for parts of the console that are still to be loaded, which shows them as soon as they are there. React
 * alone would leave the fallback for 300 ms more whenever it has shown another one just before. What its children wait for
 * has to be kept outside of it, since React forgets the state of children that have never been shown: they would load
 * it anew at each attempt, without end.
 */
export function PartBoundary({ fallback, children }: { fallback?: ReactNode; children: ReactNode }) {
  // React waits only with what it tries again by itself, so an update of the boundary shows it at once.
  useSyncExternalStore(onPartLoaded, countLoadedParts)
  return <Suspense fallback={fallback}>{children}</Suspense>
}
