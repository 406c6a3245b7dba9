export const SLOTS = ['primary', 'secondary'] as const
export type Slot = (typeof SLOTS)[number]
