/** Computes medians. A median is the only aggregation that needs all numbers at once. */
import { ApiError } from '../../http/errors.ts'

/** Maximum count: more than a month of one number a second; they take 32 MiB. */
const MAX_NUMBERS = 4 * 1024 * 1024

export interface CollectedNumbers {
  numbers: Float64Array
  count: number
}

export const createCollection = (): CollectedNumbers => ({ numbers: new Float64Array(16), count: 0 })

export function collectNumber(collected: CollectedNumbers, number: number): void {
  const { numbers, count } = collected
  if (count === MAX_NUMBERS) throw tooMany()
  if (count === numbers.length) {
    collected.numbers = new Float64Array(count * 2)
    collected.numbers.set(numbers)
  }
  collected.numbers[collected.count++] = number
}

const tooMany = () =>
  new ApiError(
    'unavailable',
    'A median needs too many values at once. Ask for a shorter interval or a shorter span.',
    {},
    60,
  )

/** Finds the middle number, or the mean of the two in the middle. Reorders the numbers. */
export function findMedian({ numbers, count }: CollectedNumbers): number {
  const all = numbers.subarray(0, count)
  const middle = count >> 1
  const upper = selectNth(all, middle)
  if (count % 2 === 1) return upper
  let lower = -Infinity
  for (let index = 0; index < middle; index++) lower = Math.max(lower, all[index]!)
  return findMiddle(lower, upper)
}

/** The sum of two doubles may exceed the largest one, while their mean does not. */
function findMiddle(lower: number, upper: number): number {
  const sum = lower + upper
  return Number.isFinite(sum) ? sum / 2 : lower / 2 + upper / 2
}

/**
 * Moves the n-th smallest number to its sorted position, with all smaller ones before it (quickselect). The pivot is random:
 * a device could send numbers for which any other choice takes time that grows with the square of their count.
 */
function selectNth(numbers: Float64Array, place: number): number {
  let [first, last] = [0, numbers.length - 1]
  while (first < last) {
    const pivot = numbers[first + Math.floor(Math.random() * (last - first + 1))]!
    let [low, high] = [first, last]
    while (low <= high) {
      while (numbers[low]! < pivot) low++
      while (numbers[high]! > pivot) high--
      if (low > high) break
      const swapped = numbers[low]!
      numbers[low++] = numbers[high]!
      numbers[high--] = swapped
    }
    if (place <= high) last = high
    else if (place >= low) first = low
    else return numbers[place]!
  }
  return numbers[place]!
}
