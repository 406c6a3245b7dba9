import type { Finding } from './measure/finding.ts'

/** One named measurement. A new one is a file in `cases/` and a line in `cases.ts`. */
export interface BenchCase {
  name: string
  /** One line for people. */
  about: string
  /** It is stopped, and fails, after this long. */
  maxSeconds: number
  run(bench: Bench): Promise<Finding[]>
}

export interface Bench {
  /** Everything that a case starts goes through here: it is stopped with the case, however that ends. */
  use<T extends AsyncDisposable>(starting: Promise<T>): Promise<T>
  progress(line: string): void
  profileDir: string | undefined
}
