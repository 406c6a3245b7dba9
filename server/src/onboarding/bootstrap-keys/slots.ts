/** [Bootstrap key slots] What each operation does in each state: one row per row of the interface. */
import { ApiError } from '../../http/errors.ts'

export const SLOTS = ['primary', 'secondary'] as const
export type Slot = (typeof SLOTS)[number]
export type Operation = 'generate' | 'flip'
type State = 'empty' | 'primary filled' | 'both filled'
type Effect = 'fill primary' | 'fill secondary' | 'promote secondary'

const refusals = {
  key_slots_full:
    'Both key slots are filled. Flip first: the secondary key becomes primary and its slot free.',
  secondary_key_empty:
    'There is no secondary key to promote. Generate one first, and bring it to the devices.',
} as const
type Refusal = keyof typeof refusals

/** Generate with both slots filled and flip without a secondary key are the contract's, §1. */
const transitions: Record<State, Record<Operation, Effect | Refusal>> = {
  empty: { generate: 'fill primary', flip: 'secondary_key_empty' },
  'primary filled': { generate: 'fill secondary', flip: 'secondary_key_empty' },
  'both filled': { generate: 'key_slots_full', flip: 'promote secondary' },
}

/** @throws key_slots_full, secondary_key_empty */
export function findEffect(operation: Operation, filled: Record<Slot, boolean>): Effect {
  const next = transitions[readState(filled)][operation]
  if (next in refusals) throw new ApiError(next as Refusal, refusals[next as Refusal])
  return next as Effect
}

const readState = ({ primary, secondary }: Record<Slot, boolean>): State => {
  if (!primary) return 'empty'
  return secondary ? 'both filled' : 'primary filled'
}
