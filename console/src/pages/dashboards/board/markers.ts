/** Markers of a map: assets at places of a picture, as shares of its width and height, or on the earth. */
import { type Bindings, listAssets } from './signals.ts'

/** As in the options of a widget. */
export interface MarkerReference {
  assetId?: string
  variable?: string
  label?: string
  x?: number
  y?: number
  /** Degrees. */
  latitude?: number
  longitude?: number
}

export interface Marker extends MarkerReference {
  assetId: string
}

export type PlacedMarker = Marker & { x: number; y: number }

export const readMarkers = ({ markers }: Record<string, unknown>): MarkerReference[] =>
  Array.isArray(markers) ? (markers as MarkerReference[]) : []

/** Markers with their assets. That of a variable is the first one, since a place is that of one asset. */
export const bindMarkers = (references: MarkerReference[], bindings: Bindings): Marker[] =>
  references.flatMap((reference) => {
    const [assetId] = listAssets(reference, bindings)
    const { variable, label } = reference
    if (assetId === undefined) return []
    // The label of a variable is followed by the asset, since it may stand for any.
    const isFollowed = variable !== undefined && label !== undefined
    return [{ ...reference, assetId, ...(isFollowed && { label: `${assetId} · ${label}` }) }]
  })

/** Whether a marker has a place on the picture; others have geographic coordinates. */
export const isOnPicture = <Any extends MarkerReference>(
  marker: Any,
): marker is Any & { x: number; y: number } => marker.x !== undefined && marker.y !== undefined

export type EarthMarker = Marker & { latitude: number; longitude: number }

export const isOnEarth = (marker: Marker): marker is EarthMarker =>
  marker.latitude !== undefined && marker.longitude !== undefined

interface Size {
  width: number
  height: number
}

/** The greatest size of a picture within a room. */
export function fitPicture(picture: Size, room: Size): Size {
  const scale = Math.min(room.width / picture.width, room.height / picture.height)
  return { width: Math.floor(picture.width * scale), height: Math.floor(picture.height * scale) }
}
