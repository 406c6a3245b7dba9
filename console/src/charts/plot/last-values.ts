/** Writes the last value of each series and its age at the right edge of a chart, without rendering React. */
import { colorToken } from './look.ts'
import { type ChartContent, colorIndex, isNumeric } from './model.ts'
import type { Plot } from './plot.ts'

export const LAST_VALUE_WIDTH = 84
const HEIGHT = 32

export interface LastValueFormat {
  value: (value: number, unit?: string) => string
  /** Formats an age, such as `3s`. */
  age: (ms: number) => string
}

export interface LastValues {
  draw: (plot: Plot, content: ChartContent) => void
}

/** @param layer element that covers the chart */
export function createLastValues(
  layer: HTMLElement,
  format: LastValueFormat,
  classNames: { tag: string; age: string },
): LastValues {
  const tags: { root: HTMLElement; value: HTMLElement; age: HTMLElement }[] = []
  const makeTag = () => {
    const root = document.createElement('div')
    root.className = classNames.tag
    const value = document.createElement('span')
    const age = document.createElement('span')
    age.className = classNames.age
    root.append(value, age)
    layer.append(root)
    return { root, value, age }
  }
  return {
    draw: (plot, content) => {
      const now = Date.now()
      const { top, height } = plot.geometry()
      const places = spread(listPlaces(plot, content), { least: top, greatest: top + height - HEIGHT })
      for (const [index, place] of places.entries()) {
        const tag = (tags[index] ??= makeTag())
        write(tag.root, `translateY(${Math.round(place.y)}px)`, place.color)
        setText(tag.value, format.value(place.value, place.unit))
        setText(tag.age, format.age(Math.max(0, now - place.time)))
      }
      for (const tag of tags.slice(places.length)) tag.root.style.display = 'none'
    },
  }
}

interface Place {
  y: number
  value: number
  time: number
  color: string
  unit: string | undefined
}

/** Labels of last values that are within the range. Buckets have none, since a mean is not a last value. */
function listPlaces(plot: Plot, content: ChartContent): Place[] {
  return content.series.flatMap((series, index) => {
    const { samples } = series
    const time = samples.times[samples.length - 1]
    if (!isNumeric(series) || series.bucketMs !== undefined || samples.length === 0 || time === undefined)
      return []
    if (time < content.range.from || time > content.range.to) return []
    const value = samples.values[samples.length - 1]!
    const y = plot.yOf(index, value)
    const color = series.ink ?? colorToken(colorIndex(series, index))
    return y === null ? [] : [{ y: y - HEIGHT / 2, value, time, color, unit: series.unit }]
  })
}

/** Moves overlapping labels apart, and keeps their order from top to bottom. */
export function spread<P extends { y: number }>(
  places: P[],
  { least, greatest }: { least: number; greatest: number },
): P[] {
  const ordered = places.toSorted((one, other) => one.y - other.y)
  let free = least
  for (const place of ordered) {
    place.y = Math.max(place.y, free)
    free = place.y + HEIGHT
  }
  let limit = greatest
  for (const place of ordered.toReversed()) {
    place.y = Math.max(least, Math.min(place.y, limit))
    limit = place.y - HEIGHT
  }
  return ordered
}

function setText(element: HTMLElement, text: string) {
  if (element.textContent !== text) element.textContent = text
}

function write({ style }: HTMLElement, transform: string, color: string) {
  style.display = ''
  style.transform = transform
  style.borderLeftColor = color
}
