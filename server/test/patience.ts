/** Runs before each test file: `vi.waitFor` and `vi.waitUntil` wait as long as `expect.poll`, unless told otherwise. */
import { vi } from 'vitest'
import { WAIT_MS } from './wait-ms.ts'

const { waitFor, waitUntil } = vi
const withTimeout = (options: number | { timeout?: number; interval?: number } = {}) => ({
  timeout: WAIT_MS,
  ...(typeof options === 'number' ? { timeout: options } : options),
})
vi.waitFor = (condition, options) => waitFor(condition, withTimeout(options))
vi.waitUntil = (condition, options) => waitUntil(condition, withTimeout(options))
