/** The result of a case. Ratios within one run say something about the code; absolute figures depend on the machine. */
import { median } from './statistics.ts'

export interface Finding {
  measure: string
  unit: string
  /** Median of the rounds. */
  value: number
  /** The baseline of the same run, in the same unit. */
  baseline?: { name: string; value: number }
  /** 1 is as good as the baseline, 0.5 half as good: more is better, whatever the unit. Median of the rounds' ratios. */
  ratio?: number
  goal?: Goal
  /** The values of all rounds, to see their spread. */
  rounds?: { value: number[]; baseline?: number[] }
  /** Further figures, units in the names. */
  details?: Record<string, number>
}

export type Goal = { ratioAtLeast: number } | { valueAtMost: number } | { valueAtLeast: number }

interface Comparison extends Pick<Finding, 'measure' | 'unit' | 'goal' | 'details'> {
  better: 'more' | 'less'
  rounds: number[]
  baseline: { name: string; rounds: number[] }
}

/** @param comparison round i of both was measured one after the other */
export function compare({ better, rounds, baseline, ...finding }: Comparison): Finding {
  const ratios = rounds.map((value, index) => value / baseline.rounds[index]!)
  return {
    ...finding,
    value: median(rounds),
    baseline: { name: baseline.name, value: median(baseline.rounds) },
    ratio: median(better === 'more' ? ratios : ratios.map((ratio) => 1 / ratio)),
    rounds: { value: rounds, baseline: baseline.rounds },
  }
}

/** @returns nothing without a goal */
export function isMet({ goal, ratio, value }: Finding): boolean | undefined {
  if (!goal) return undefined
  if ('ratioAtLeast' in goal) return ratio !== undefined && ratio >= goal.ratioAtLeast
  return 'valueAtMost' in goal ? value <= goal.valueAtMost : value >= goal.valueAtLeast
}
