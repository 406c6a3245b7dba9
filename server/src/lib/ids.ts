import { randomBytes } from 'node:crypto'
import { v7 } from 'uuid'

/** Generates a UUID v7: ids sort by their time of creation. */
export const newId = (): string => v7()

/** Generates a secret of 256 random bits in base64, for bootstrap keys and device keys. */
export const newKey = (): string => randomBytes(32).toString('base64')
