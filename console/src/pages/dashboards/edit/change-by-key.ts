import type { Position } from '../board/board.ts'
import { fitPosition } from '../grid/grid.ts'

const steps: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Arrow keys move by a cell, with Shift they resize. @returns null for other keys */
export function changeByKey(
  { x, y, w, h }: Position,
  {
    key,
    shiftKey,
    ctrlKey,
    altKey,
    metaKey,
  }: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'altKey' | 'metaKey'>,
  columns: number,
): Position | null {
  const step = steps[key]
  if (step === undefined || ctrlKey || altKey || metaKey) return null
  const [right, down] = step
  if (!shiftKey) return fitPosition({ x: x + right, y: y + down, w, h }, columns)
  return fitPosition({ x, y, w: Math.min(columns - x, w + right), h: h + down }, columns)
}
