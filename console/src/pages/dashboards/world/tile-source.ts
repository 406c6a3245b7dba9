/** Tiles of a map server in Web Mercator, which the operator configured. The server writes them into the page. */
import type { View } from './view.ts'

export interface TileSource {
  /** With `{z}`, `{x}` and `{y}`. */
  address: string
  /** What the owner of the tiles wants to be said. */
  attribution: string
}

/** @returns undefined where the operator configured none */
export function readTileSource(): TileSource | undefined {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="map-tiles"]')
  return meta ? { address: meta.content, attribution: meta.dataset.attribution ?? '' } : undefined
}

export interface Tile {
  address: string
  /** Place and size in shares of the width and the height of the widget. */
  left: number
  top: number
  width: number
  height: number
}

const TILE_PX = 256
/** Map servers have no finer tiles; nearer views enlarge them. */
const MOST_ZOOM = 19

/** Lists the tiles that a view shows, at about their own size. */
export function listTiles(
  source: Pick<TileSource, 'address'>,
  view: View,
  { width, height }: { width: number; height: number },
): Tile[] {
  if (width === 0 || height === 0) return []
  const wanted = Math.round(Math.log2(width / TILE_PX / view.width))
  const zoom = Math.min(MOST_ZOOM, Math.max(0, wanted))
  const count = 2 ** zoom
  const viewHeight = (view.width * height) / width
  const [left, top] = [view.x - view.width / 2, view.y - viewHeight / 2]
  const range = (from: number, length: number) => {
    const first = Math.max(0, Math.floor(from * count))
    const last = Math.min(count - 1, Math.ceil((from + length) * count) - 1)
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
  }
  return range(top, viewHeight).flatMap((y) =>
    range(left, view.width).map((x) => ({
      address: writeAddress(source.address, { z: zoom, x, y }),
      left: (x / count - left) / view.width,
      top: (y / count - top) / viewHeight,
      width: 1 / count / view.width,
      height: 1 / count / viewHeight,
    })),
  )
}

const writeAddress = (template: string, place: { z: number; x: number; y: number }) =>
  template.replaceAll(/\{([zxy])\}/g, (_, name: 'z' | 'x' | 'y') => String(place[name]))
