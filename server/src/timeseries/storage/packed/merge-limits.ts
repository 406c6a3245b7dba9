import type { MergeLimits } from './row-key.ts'

/**
 * A day with few rows costs nearly 400 bytes as a piece of its own, so it is added to the piece before it. The limits are
 * low, because that piece is then packed again.
 */
export const MERGE_LIMITS: MergeLimits = { rows: 200, cells: 20_000, days: 100 }

/** Maximum number of values in the pieces that one transaction packs again, unless it is one piece. */
export const PACKED_CELLS = 250_000
