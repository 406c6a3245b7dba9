/**
 * The part of the world that a map shows. Coordinates are those of the Mercator projection, in a square with sides of 1:
 * `x` is 0 at 180° west and grows to the east, `y` is 0 at the northern edge and grows to the south.
 */
export interface Place {
  x: number
  y: number
}

/** A part of the map: its middle, and its width. The height follows from the shape of the widget. */
export interface View extends Place {
  width: number
}

/** The latitude at the edges of the square, in degrees: the projection puts the poles at an infinite distance. */
const MAX_LATITUDE = 85.051_129
const WHOLE: View = { x: 0.5, y: 0.43, width: 1 }
/** About 40 m at the equator; the outline has no details, but pins of one site are told apart. */
const NEAREST = 1e-6
/** A single pin is shown with about 20 degrees around it. */
const AROUND = 0.06
/** Space around pins, as a factor. */
const MARGIN = 1.4

export function project(latitude: number, longitude: number): Place {
  const angle = (Math.min(MAX_LATITUDE, Math.max(-MAX_LATITUDE, latitude)) * Math.PI) / 180
  return { x: (longitude + 180) / 360, y: 0.5 - Math.asinh(Math.tan(angle)) / (2 * Math.PI) }
}

const clamp = (value: number, min: number, max: number) => Math.min(max, Math.max(min, value))

const limit = ({ x, y, width }: View): View => ({
  x: clamp(x, 0, 1),
  y: clamp(y, 0, 1),
  width: clamp(width, NEAREST, 1),
})

/** @param aspect height of the widget as a share of its width */
export function fitPlaces(places: Place[], aspect: number): View {
  if (places.length === 0) return WHOLE
  const [left, right] = [Math.min(...places.map(({ x }) => x)), Math.max(...places.map(({ x }) => x))]
  const [top, bottom] = [Math.min(...places.map(({ y }) => y)), Math.max(...places.map(({ y }) => y))]
  const extent = Math.max(right - left, (bottom - top) / aspect)
  const width = extent === 0 ? AROUND : extent * MARGIN
  return limit({ x: (left + right) / 2, y: (top + bottom) / 2, width })
}

/** Moves by shares of the width and the height of the widget. */
export const pan = (view: View, { x, y }: Place, aspect: number): View =>
  limit({ ...view, x: view.x + x * view.width, y: view.y + y * view.width * aspect })

/**
 * @param factor of the width; less than 1 comes nearer
 * @param at the place of the widget that stays where it is, in shares of its width and height
 */
export function zoom(view: View, factor: number, aspect: number, at: Place = { x: 0.5, y: 0.5 }): View {
  const { width } = limit({ ...view, width: view.width * factor })
  const moved = view.width - width
  return limit({ x: view.x + (at.x - 0.5) * moved, y: view.y + (at.y - 0.5) * moved * aspect, width })
}

/** Where a place stands in the widget, in shares of its width and height. */
export const locate = ({ x, y }: Place, view: View, aspect: number): Place => ({
  x: (x - view.x) / view.width + 0.5,
  y: (y - view.y) / (view.width * aspect) + 0.5,
})

export const isNearest = ({ width }: View): boolean => width <= NEAREST

/**
 * Puts places together that would cover each other: each with the first one that is nearer than `distance`, in shares of
 * the width of the view.
 */
export function groupPlaces<Item extends { place: Place }>(
  items: Item[],
  view: View,
  distance: number,
): Item[][] {
  const near = distance * view.width
  const groups: Item[][] = []
  for (const item of items) {
    const group = groups.find(([first]) => isNear(first!.place, item.place, near))
    if (group === undefined) groups.push([item])
    else group.push(item)
  }
  return groups
}

const isNear = (one: Place, other: Place, near: number) =>
  Math.abs(one.x - other.x) < near && Math.abs(one.y - other.y) < near
