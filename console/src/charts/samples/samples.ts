/** The samples of a series in typed arrays, in the order of their times. They are changed in place and grow. */
export interface Samples {
  length: number
  /** Milliseconds since 1970 in UTC. */
  times: Float64Array
  /** Numbers; for states the index of the state in `states`. */
  values: Float64Array
  /** Least and greatest value of each bucket; null unless the samples are aggregates. */
  least: Float64Array | null
  greatest: Float64Array | null
  /** Texts of the states; null if the values are numbers. */
  states: string[] | null
  /** The usual number of samples in a bucket, if they are aggregates and it is known. */
  perBucket?: number | undefined
  /** Incremented by each change. */
  version: number
}

interface SamplesOptions {
  capacity?: number
  hasEnvelope?: boolean
  isState?: boolean
}

export function createSamples({
  capacity = 64,
  hasEnvelope = false,
  isState = false,
}: SamplesOptions = {}): Samples {
  return {
    length: 0,
    times: new Float64Array(capacity),
    values: new Float64Array(capacity),
    least: hasEnvelope ? new Float64Array(capacity) : null,
    greatest: hasEnvelope ? new Float64Array(capacity) : null,
    states: isState ? [] : null,
    version: 0,
  }
}

/** Makes samples of arrays that are already in the order of time. */
export const wrapSamples = (
  arrays: Pick<Samples, 'times' | 'values'> & Partial<Pick<Samples, 'least' | 'greatest' | 'states'>>,
): Samples => ({
  least: null,
  greatest: null,
  states: null,
  version: 0,
  ...arrays,
  length: arrays.times.length,
})

/** Inserts a sample in the order of time; a sample of the same time is replaced. */
export function addSample(
  samples: Samples,
  time: number,
  value: number,
  { least = value, greatest = value } = {},
) {
  const index = findFirst(samples, time)
  const isNew = index === samples.length || samples.times[index] !== time
  if (isNew) makeRoom(samples, index)
  samples.times[index] = time
  samples.values[index] = value
  if (samples.least) samples.least[index] = least
  if (samples.greatest) samples.greatest[index] = greatest
  samples.version++
}

/** Finds the index of a state in `states`; a new state is added. */
export function findState(samples: Samples, text: string): number {
  const states = (samples.states ??= [])
  const index = states.indexOf(text)
  return index === -1 ? states.push(text) - 1 : index
}

/** Drops the samples before a time. */
export function dropBefore(samples: Samples, time: number) {
  const count = findFirst(samples, time)
  if (count === 0) return
  for (const array of arraysIn(samples)) array.copyWithin(0, count, samples.length)
  samples.length -= count
  samples.version++
  // A text that is always another one would otherwise fill the memory.
  if (samples.states !== null && samples.states.length > 2 * samples.length + LEAST_STATES)
    samples.states = dropUnusedStates(samples, samples.states)
}

const LEAST_STATES = 64
/** Share of the shown time that is kept, so that the line continues beyond the edge while the chart is moved. */
const KEPT_SHARE = 1.2

/**
 * Drops the samples that a chart of the last milliseconds does not show any more. The last of them stays, since a state
 * lasts until the next sample and a line begins there.
 */
export function dropUnshown(samples: Samples, lengthMs: number) {
  const last = findFirst(samples, Date.now() - KEPT_SHARE * lengthMs) - 1
  if (last > 0) dropBefore(samples, samples.times[last]!)
}

/** @returns the states that the samples have, in the order of their first sample */
function dropUnusedStates({ values, length }: Samples, states: string[]): string[] {
  const kept = new Map<number, number>()
  for (let index = 0; index < length; index++) {
    const state = values[index]!
    if (!kept.has(state)) kept.set(state, kept.size)
    values[index] = kept.get(state)!
  }
  return [...kept.keys()].map((state) => states[state]!)
}

/** The index of the first sample at or after a time; the length if there is none. */
export function findFirst({ times, length }: Pick<Samples, 'times' | 'length'>, time: number): number {
  // Fast path for appending, since samples mostly arrive in order.
  if (length === 0 || times[length - 1]! < time) return length
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle]! < time) low = middle + 1
    else high = middle
  }
  return low
}

/** The index of the sample that is nearest to a time; -1 if there is none. */
export function findNearest(samples: Pick<Samples, 'times' | 'length'>, time: number): number {
  const after = findFirst(samples, time)
  if (after === 0) return samples.length === 0 ? -1 : 0
  if (after === samples.length) return after - 1
  return time - samples.times[after - 1]! <= samples.times[after]! - time ? after - 1 : after
}

const arraysIn = ({ times, values, least, greatest }: Samples) =>
  [times, values, least, greatest].filter((array) => array !== null)

function makeRoom(samples: Samples, index: number) {
  if (samples.length === samples.times.length) grow(samples)
  if (index < samples.length)
    for (const array of arraysIn(samples)) array.copyWithin(index + 1, index, samples.length)
  samples.length++
}

function grow(samples: Samples) {
  const copy = (array: Float64Array) => {
    const longer = new Float64Array(Math.max(64, array.length * 2))
    longer.set(array)
    return longer
  }
  samples.times = copy(samples.times)
  samples.values = copy(samples.values)
  samples.least &&= copy(samples.least)
  samples.greatest &&= copy(samples.greatest)
}
