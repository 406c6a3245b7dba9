/** Colors and dashes of charts; the colors are read from the CSS tokens of the page. */
export interface ChartLook {
  text: string
  grid: string
  surface: string
  offline: string
  bad: string
  series: string[]
  font: string
}

const COLORS = 8

/** Dashes by color, so that series can be told apart without seeing colors. */
const dashes: number[][] = [
  [],
  [7, 4],
  [2, 3],
  [9, 3, 2, 3],
  [4, 2],
  [12, 4],
  [1, 2, 6, 2],
  [5, 2, 1, 2, 1, 2],
]

export const dashFor = (index: number): number[] => dashes[index % dashes.length]!

export const colorToken = (index: number) => `var(--series-${(index % COLORS) + 1})`

export function readLook(element: Element): ChartLook {
  const style = getComputedStyle(element)
  const token = (name: string) => style.getPropertyValue(name).trim()
  return {
    text: token('--text-2'),
    grid: token('--line'),
    surface: token('--surface'),
    offline: token('--text-3'),
    bad: token('--bad'),
    series: Array.from({ length: COLORS }, (_, index) => token(`--series-${index + 1}`)),
    font: `12px ${token('--font')}`,
  }
}

/** Calls back when the CSS tokens change: light and dark, or the accent of another organization. */
export function watchLook(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange)
  observer.observe(document.documentElement, {
    attributeFilter: ['data-mantine-color-scheme', 'style', 'class'],
  })
  return () => observer.disconnect()
}
