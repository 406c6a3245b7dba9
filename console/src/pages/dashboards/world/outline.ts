/** The outline of the world, from data of Natural Earth (public domain) at 1:110 million, which comes with the console. */
import { loadPart } from '../../../load-part.ts'
import { project } from './view.ts'

/** Lines are shared by neighbours: polygons name them by their index, `~index` for the opposite direction. */
export interface Topology {
  transform: { scale: [number, number]; translate: [number, number] }
  /** Whole numbers; each point is the difference from the one before. */
  arcs: [number, number][][]
  objects: { land: { geometries: { arcs: number[][][] }[] } }
}

/** Paths of SVG on a square of `SIZE`. */
export interface Outline {
  land: string
  /** Coasts and borders. */
  lines: string
}

export const SIZE = 1000

/** Loaded when a map is first shown. */
export async function loadOutline(): Promise<Outline> {
  const { default: text } = await loadPart(() => import('world-atlas/countries-110m.json?raw'))
  return writeOutline(JSON.parse(text) as Topology)
}

export function writeOutline({ transform, arcs, objects }: Topology): Outline {
  const lines = arcs.map((arc) => readPoints(arc, transform))
  const follow = (index: number) => (index < 0 ? lines[~index]!.toReversed() : lines[index]!)
  const rings = objects.land.geometries.flatMap(({ arcs: polygons }) => polygons.flat())
  return {
    land: rings.map((ring) => `${writeLine(ring.flatMap(follow))}Z`).join(''),
    lines: lines.map(writeLine).join(''),
  }
}

function readPoints(arc: Topology['arcs'][number], { scale, translate }: Topology['transform']): string[] {
  let [x, y] = [0, 0]
  return arc.map(([dx, dy]) => {
    x += dx
    y += dy
    const place = project(y * scale[1] + translate[1], x * scale[0] + translate[0])
    return `${(place.x * SIZE).toFixed(2)} ${(place.y * SIZE).toFixed(2)}`
  })
}

const writeLine = (points: string[]) => `M${points.join('L')}`
