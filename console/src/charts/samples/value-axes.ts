/** Series of the same unit share an axis; series without a unit share one by their quantity. */
export interface ValueAxis {
  unit: string
  side: 'left' | 'right'
  /** Whether there is room to draw the axis; the values of a hidden axis are in the legend. */
  isShown: boolean
  /** The indexes of its series. */
  series: number[]
}

/** Width of a chart per axis that is drawn; one axis is always drawn. */
const WIDTH_OF_AXIS = 320
const MOST_SHOWN = 4

/** Axes stand at the left and right in turn, in the order in which their units occur. */
export function assignAxes(units: string[], width: number): ValueAxis[] {
  const shown = Math.min(MOST_SHOWN, Math.max(1, Math.floor(width / WIDTH_OF_AXIS)))
  const axes = new Map<string, ValueAxis>()
  for (const [index, unit] of units.entries()) {
    const axis = axes.get(unit)
    if (axis) axis.series.push(index)
    else
      axes.set(unit, {
        unit,
        side: axes.size % 2 === 0 ? 'left' : 'right',
        isShown: axes.size < shown,
        series: [index],
      })
  }
  return [...axes.values()]
}

/** Limits of an axis: the extent of the values with a margin, or zero where the values are near to it. */
export function padExtent({ least, greatest }: { least: number; greatest: number }): [number, number] {
  if (least === greatest) {
    const around = least === 0 ? 1 : Math.abs(least) * 0.1
    return [least - around, greatest + around]
  }
  const room = (greatest - least) * 0.08
  const isNearZero = least >= 0 && least - room * 3 <= 0
  return [isNearZero ? 0 : least - room, greatest <= 0 && greatest + room * 3 >= 0 ? 0 : greatest + room]
}

/** Limits of an axis that are given, and of the extent of the values what is not. */
export function limitExtent(
  [low, high]: [number, number],
  { min, max }: { min?: number | undefined; max?: number | undefined },
): [number, number] {
  const least = min ?? (max !== undefined && low >= max ? max - (high - low) : low)
  const greatest = max ?? (high <= least ? least + (high - low) : high)
  return greatest > least ? [least, greatest] : [low, high]
}
