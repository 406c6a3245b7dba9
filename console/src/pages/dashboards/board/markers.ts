/** Markers of a map: assets at places of a picture, as shares of its width and height, or on the earth. */

export interface Marker {
  assetId: string
  label?: string
  x?: number
  y?: number
  /** Degrees. */
  latitude?: number
  longitude?: number
}

export type PlacedMarker = Marker & { x: number; y: number }

export const readMarkers = ({ markers }: Record<string, unknown>): Marker[] =>
  Array.isArray(markers) ? (markers as Marker[]) : []

/** Whether a marker has a place on the picture; others have geographic coordinates. */
export const isOnPicture = (marker: Marker): marker is PlacedMarker =>
  marker.x !== undefined && marker.y !== undefined

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
