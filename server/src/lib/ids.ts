import { randomBytes } from 'node:crypto'
import { v7 } from 'uuid'

/** A generated id: UUID v7, so that ids sort by the time they were made. */
export const newId = (): string => v7()

/** A secret of 256 random bits, base64: bootstrap keys and device keys. */
export const newKey = (): string => randomBytes(32).toString('base64')
