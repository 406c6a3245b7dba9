/**
 * Samples of usual sensors, the same in every run: random walks with few decimals, counters, a boolean and a setpoint.
 */

export const INTERVAL_MS = 10_000
export const SAMPLES_A_DAY = 86_400_000 / INTERVAL_MS

/** Makes the next value of a signal. */
type NextValue = (random: () => number) => number

/** The signals of each device; a message has all of them. */
const makers = {
  temperature: () => walk({ from: 210, low: -200, high: 900, step: 1, decimals: 1 }),
  humidity: () => walk({ from: 450, low: 0, high: 1000, step: 2, decimals: 1 }),
  pressure: () => walk({ from: 101_325, low: 95_000, high: 108_000, step: 5, decimals: 2 }),
  vibration: () => walk({ from: 1200, low: 0, high: 20_000, step: 20, decimals: 3 }),
  voltage: () => walk({ from: 2300, low: 2100, high: 2500, step: 3, decimals: 1 }),
  flow: () => walk({ from: 1500, low: 0, high: 4000, step: 10, decimals: 2 }),
  energy: () => counter({ maxStep: 5, decimals: 2 }),
  parts: () => counter({ maxStep: 1, decimals: 0 }),
  running,
  setpoint,
} satisfies Record<string, () => NextValue>

export const SIGNALS = Object.keys(makers) as (keyof typeof makers)[]
export const isBoolean = (signal: string) => signal === 'running'

/** Samples of one device. */
export interface SensorSamples {
  device: string
  timesMs: Float64Array
  /** For each of `SIGNALS` a value at each time; a boolean is 0 or 1. */
  columns: Float64Array[]
}

export interface Sensor {
  device: string
  /** Continues where the last call ended. */
  read(fromMs: number, count: number): SensorSamples
}

export const createSensors = (devices: string[]): Sensor[] => devices.map(createSensor)

function createSensor(device: string, index: number): Sensor {
  const random = createRandom(index + 1)
  const signals = SIGNALS.map((signal) => makers[signal]())
  // No sample lies on the border of a bucket, to which databases count it differently.
  const phaseMs = 1 + Math.floor(random() * (INTERVAL_MS - 2))
  return {
    device,
    read(fromMs, count) {
      const timesMs = Float64Array.from({ length: count }, (_, row) => fromMs + phaseMs + row * INTERVAL_MS)
      const columns = signals.map(() => new Float64Array(count))
      for (let row = 0; row < count; row++)
        signals.forEach((signal, column) => (columns[column]![row] = signal(random)))
      return { device, timesMs, columns }
    },
  }
}

interface Walk {
  /** All but the decimals in units of the last decimal. */
  from: number
  low: number
  high: number
  step: number
  decimals: number
}

function walk({ from, low, high, step, decimals }: Walk): NextValue {
  const scale = 10 ** decimals
  let value = from
  return (random) => {
    value = Math.min(high, Math.max(low, value + Math.floor(random() * (2 * step + 1)) - step))
    return value / scale
  }
}

function counter({ maxStep, decimals }: { maxStep: number; decimals: number }): NextValue {
  const scale = 10 ** decimals
  let value = 0
  return (random) => (value += Math.floor(random() * (maxStep + 1))) / scale
}

function running(): NextValue {
  let state = 1
  return (random) => (random() < 1 / 500 ? (state = 1 - state) : state)
}

function setpoint(): NextValue {
  let value = 20
  return (random) => (random() < 1 / 700 ? (value = Math.floor(random() * 80) / 2) : value)
}

/** The generator mulberry32. @returns numbers from 0 to 1 */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
