import { useMemo } from 'react'
import type { Widget } from '../board/board.ts'
import { bindMarkers, type Marker, readMarkers } from '../board/markers.ts'
import { useBoardValues } from '../values/board-context.ts'

/** Pins of a map, bound to the assets of its variables. */
export function useMarkers({ options }: Widget): Marker[] {
  const { bindings } = useBoardValues()
  return useMemo(() => bindMarkers(readMarkers(options), bindings), [options, bindings])
}
