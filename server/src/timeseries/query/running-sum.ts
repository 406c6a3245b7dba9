/** A sum with its result as text, because it may exceed the largest double. */
import { addExactly, type ExactSum, formatWhole, roundSum, roundWhole, sumWhole } from './exact-sum.ts'

export interface RunningSum {
  parts: ExactSum
  /** The sum as a multiple of 2^-1074, used after a number so large that parts may overflow. */
  whole: bigint | undefined
  count: number
}

/** Sums of numbers below this limit do not overflow. */
const LARGE = 1e290

export const createRunningSum = (): RunningSum => ({ parts: [], whole: undefined, count: 0 })

export function addNumber(sum: RunningSum, number: number): void {
  sum.count++
  addPart(sum, number)
}

/** Adds the exact sum of several numbers, in two parts. */
export function addSum(sum: RunningSum, { count, parts }: { count: number; parts: [number, number] }): void {
  sum.count += count
  addPart(sum, parts[0])
  // Zero would remove the sign of a sum of negative zeros.
  if (parts[1] !== 0) addPart(sum, parts[1])
}

function addPart(sum: RunningSum, number: number): void {
  if (sum.whole === undefined && Math.abs(number) > LARGE) sum.whole = sumWhole(sum.parts)
  if (sum.whole === undefined) addExactly(sum.parts, number)
  else sum.whole += sumWhole([number])
}

export function sumText({ parts, whole }: RunningSum): string {
  if (whole === undefined) return formatDouble(roundSum(parts))
  const nearest = roundWhole(whole)
  return Number.isFinite(nearest) ? formatDouble(nearest) : formatWhole(whole)
}

export function averageText({ parts, whole, count }: RunningSum): string {
  if (whole === undefined) return formatDouble(roundSum(parts) / count)
  const nearest = roundWhole(whole)
  return formatDouble(Number.isFinite(nearest) ? nearest / count : roundWhole(whole / BigInt(count)))
}

const formatDouble = (number: number) => (Object.is(number, -0) ? '-0' : String(number))
