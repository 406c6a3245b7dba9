/** Draws the charts of a page together: each at most once per frame, and only if it is visible. */
interface DrawQueue {
  add: (element: Element, draw: () => void) => Drawn
  /** Smoothed time that a frame with drawings takes on the main thread, with its layout and its painting. */
  readCostMs: () => number
}

export interface Drawn {
  /** Requests a redraw in the next frame, or when the chart becomes visible. */
  schedule: () => void
  remove: () => void
}

interface Entry {
  draw: () => void
  isVisible: boolean
  isDirty: boolean
}

/**
 * Drawing time per frame. The remaining charts are drawn in the next frame, so that the page stays responsive. Few long
 * frames take less time than many short ones, since each brings the canvases of all charts to the screen again.
 */
const FRAME_BUDGET_MS = 40
/** Weight of the newest frame in the smoothed cost. */
const NEWEST = 0.25

function createDrawQueue(): DrawQueue {
  const entries = new Map<Element, Entry>()
  const dirty = new Set<Entry>()
  let frame = 0
  let costMs = 0
  const request = () => {
    if (frame === 0 && dirty.size > 0) frame = requestAnimationFrame(drawAll)
  }
  const drawAll = () => {
    frame = 0
    const start = performance.now()
    for (const entry of dirty) {
      dirty.delete(entry)
      entry.isDirty = false
      entry.draw()
      if (performance.now() - start > FRAME_BUDGET_MS) break
    }
    // A timer runs after the layout and the painting of the frame.
    setTimeout(() => (costMs += (performance.now() - start - costMs) * NEWEST))
    request()
  }
  const markDirty = (entry: Entry) => {
    entry.isDirty = true
    if (!entry.isVisible) return
    dirty.add(entry)
    request()
  }
  const observer = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) {
      const entry = entries.get(target)
      if (!entry) continue
      entry.isVisible = isIntersecting
      if (isIntersecting && entry.isDirty) markDirty(entry)
    }
  })
  return {
    readCostMs: () => costMs,
    add: (element, draw) => {
      const entry: Entry = { draw, isVisible: false, isDirty: false }
      entries.set(element, entry)
      observer.observe(element)
      return {
        schedule: () => markDirty(entry),
        remove: () => {
          observer.unobserve(element)
          entries.delete(element)
          dirty.delete(entry)
        },
      }
    },
  }
}

/** The queue that all charts of the page share. */
export const pageQueue: DrawQueue = createDrawQueue()
