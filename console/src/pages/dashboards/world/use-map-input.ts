import { type KeyboardEvent, type PointerEvent, useEffect, useRef } from 'react'
import { pan, type Place, type View, zoom } from './view.ts'

interface Options {
  view: View
  /** Height as a share of the width. */
  aspect: number
  /** Null shows all pins. */
  onView: (view: View | null) => void
}

const STEP = 0.2
const arrows: Record<string, Place> = {
  ArrowLeft: { x: -STEP, y: 0 },
  ArrowRight: { x: STEP, y: 0 },
  ArrowUp: { x: 0, y: -STEP },
  ArrowDown: { x: 0, y: STEP },
}

/** Moves and zooms a map by pointer, by the wheel with Ctrl, and by keys. */
export function useMapInput({ view, aspect, onView }: Options) {
  const dragged = useRef<{ pointerId: number; x: number; y: number } | null>(null)
  const element = useRef<HTMLElement | null>(null)
  const latest = useRef({ view, aspect, onView })
  latest.current = { view, aspect, onView }

  // React listens passively to the wheel, and the page would be zoomed, too.
  useEffect(() => {
    const target = element.current
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return
      event.preventDefault()
      const { left, top, width, height } = target!.getBoundingClientRect()
      const at = { x: (event.clientX - left) / width, y: (event.clientY - top) / height }
      const { view: present, aspect: shape, onView: show } = latest.current
      show(zoom(present, 2 ** (event.deltaY / 200), shape, at))
    }
    target?.addEventListener('wheel', onWheel, { passive: false })
    return () => target?.removeEventListener('wheel', onWheel)
  }, [])

  const zoomBy = (factor: number) => onView(zoom(view, factor, aspect))
  return {
    zoomBy,
    element,
    handlers: {
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        // A press on a pin is for the pin.
        if (event.button !== 0 || (event.target as Element).closest('a, button') !== null) return
        dragged.current = { pointerId: event.pointerId, x: event.clientX, y: event.clientY }
        event.currentTarget.setPointerCapture(event.pointerId)
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        const before = dragged.current
        if (before?.pointerId !== event.pointerId) return
        const { width, height } = event.currentTarget.getBoundingClientRect()
        const by = { x: (before.x - event.clientX) / width, y: (before.y - event.clientY) / height }
        dragged.current = { pointerId: event.pointerId, x: event.clientX, y: event.clientY }
        onView(pan(view, by, aspect))
      },
      onPointerUp: () => {
        dragged.current = null
      },
      onPointerCancel: () => {
        dragged.current = null
      },
      onKeyDown: (event: KeyboardEvent) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return
        const arrow = arrows[event.key]
        if (arrow !== undefined) onView(pan(view, arrow, aspect))
        else if (event.key === '+' || event.key === '-') zoomBy(event.key === '+' ? 0.5 : 2)
        else if (event.key === '0') onView(null)
        else return
        event.preventDefault()
      },
    },
  }
}
