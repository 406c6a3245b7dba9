/** Prevents browsers from guessing another content type; on every answer. */
export const NO_SNIFFING = { 'x-content-type-options': 'nosniff' }
