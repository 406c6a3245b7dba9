import type { Finding } from './measure/finding.ts'

/** One named measurement. To add one, write a file in `cases/` and a line in `cases.ts`. */
export interface BenchCase {
  name: string
  /** One line for people. */
  about: string
  /** Time limit, after which the case is stopped and fails. */
  maxSeconds: number
  /** Time limit with `--large`. */
  maxSecondsLarge?: number
  /** Runs only when it is named. */
  isOnRequest?: boolean
  run(bench: Bench): Promise<Finding[]>
}

/** Sizes that the caller may choose, of the cases that say so. */
export interface Sizes {
  days: number
  series: number
  devices: number
  seconds: number
  minutes: number
  /** Values a second. */
  rate: number
  /** Measures larger sizes as well, without the usual time limit. */
  isLarge: boolean
}

export interface Bench {
  /** Registers everything that a case starts, so that it is stopped with the case. */
  use<T extends AsyncDisposable>(starting: Promise<T>): Promise<T>
  progress(line: string): void
  profileDir: string | undefined
  sizes: Sizes
}
