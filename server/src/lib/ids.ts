import { randomBytes } from 'node:crypto'
import { v7 } from 'uuid'

/** Generates a UUID v7: ids sort by their time of creation. */
export const newId = (): string => v7()

/** Generates a secret of 256 random bits in base64, for bootstrap keys and device keys. */
export const newKey = (): string => randomBytes(32).toString('base64')

/** Returns the smallest UUID v7 of a moment. */
export const firstIdAt = (ms: number): string => {
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
