/** Forty widgets over all series: line charts alone, and of the kinds that a control room has. */
import { type BoardWidget, makeChart, type Series } from '../../platform/dashboards.ts'

export const WIDGETS = 40
/** Both in the history and in the messages of the fleet. */
export const SIGNALS = ['temperature', 'pressure']
const scale = { min: -20, max: 90, thresholds: [{ value: 60, label: 'High', color: '#b35a00' }] }

/** Line charts that share all series. */
export function listCharts(ids: string[]): BoardWidget[] {
  const series = ids.flatMap((assetId) => SIGNALS.map((name) => ({ assetId, name })))
  const start = (chart: number) => Math.round((chart * series.length) / WIDGETS)
  return Array.from({ length: WIDGETS }, (_, chart) =>
    makeChart(series.slice(start(chart), start(chart + 1))),
  )
}

type Maker = (ids: string[]) => BoardWidget

const temperatures = (ids: string[]): Series[] => ids.map((assetId) => ({ assetId, name: 'temperature' }))
const withSignals =
  (kind: string, most: number, options: object = {}): Maker =>
  (ids) => ({ kind, options: { signals: temperatures(ids.slice(0, most)), ...options } })

/** How many of each kind; a kind shows a part of the assets that its widget has. */
const kinds: [count: number, make: Maker][] = [
  [8, (ids) => makeChart(ids.flatMap((assetId) => SIGNALS.map((name) => ({ assetId, name }))))],
  [8, withSignals('latestValue', 2, scale)],
  [6, withSignals('gauge', 1, scale)],
  [6, withSignals('barChart', 6, scale)],
  [6, withSignals('table', 6, scale)],
  [
    4,
    (ids) => ({
      kind: 'stateTimeline',
      options: { signals: ids.map((assetId) => ({ assetId, name: 'running' })) },
    }),
  ],
  [1, (ids) => ({ kind: 'map', options: { markers: ids.map(placeMarker), signals: temperatures(ids) } })],
  [1, () => ({ kind: 'alarmList', options: {} })],
]

const placeMarker = (assetId: string, index: number) => ({
  assetId,
  latitude: 46 + index / 2,
  longitude: 8 + index,
})

/** Widgets of eight kinds, each over a part of the assets. */
export function listMixed(ids: string[]): BoardWidget[] {
  const makers = kinds.flatMap(([count, make]) => Array.from({ length: count }, () => make))
  const share = Math.floor(ids.length / makers.length)
  return makers.map((make, index) => make(ids.slice(index * share, (index + 1) * share)))
}
