/** Packs the times of messages as differences of differences, which are zero for a regular device. */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { createByteWriter, readSignedNumbers, writeSigned, writtenBytes } from './varint.ts'

/** First-order differences compress better for random intervals, second-order differences for regular ones. */
const FIRST_ORDER = 1
const SECOND_ORDER = 2

/** @param times integer milliseconds within ±2^50, in ascending order; equal times are allowed */
export function packTimes(times: ArrayLike<number>): Buffer {
  const first = pack(times, FIRST_ORDER)
  const second = pack(times, SECOND_ORDER)
  return first.length < second.length ? first : second
}

function pack(times: ArrayLike<number>, order: number): Buffer {
  const writer = createByteWriter(times.length + 16)
  let previous = 0
  let previousStep = 0
  for (let index = 0; index < times.length; index++) {
    const step = times[index]! - previous
    writeSigned(writer, order === FIRST_ORDER ? step : step - previousStep)
    previous = times[index]!
    // The first step is the time since 1970, which does not predict the next one.
    previousStep = index === 0 ? 0 : step
  }
  return Buffer.concat([Buffer.of(order), deflateRawSync(writtenBytes(writer))])
}

/** @param count the number of packed times */
export function unpackTimes(packed: Uint8Array, count: number): Float64Array {
  const isFirstOrder = packed[0] === FIRST_ORDER
  const times = readSignedNumbers(inflateRawSync(packed.subarray(1)), count)
  let previous = 0
  let previousStep = 0
  for (let index = 0; index < count; index++) {
    const step = isFirstOrder ? times[index]! : times[index]! + previousStep
    previous += step
    previousStep = index === 0 ? 0 : step
    times[index] = previous
  }
  return times
}
