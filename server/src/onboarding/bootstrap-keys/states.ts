/** State transitions of the key slots: the effect of each operation in each state. [docs/onboarding#key-slots] */
import { ApiError } from '../../http/errors.ts'
import type { Transition } from '../../lib/state-table.ts'
import type { Slot } from './slots.ts'

export type Operation = 'generate' | 'flip'
type State = 'empty' | 'primary filled' | 'both filled'
type Effect = 'fill primary' | 'fill secondary' | 'promote secondary'

const transitions: (Transition<State, Operation> & { effect: Effect })[] = [
  { from: 'empty', event: 'generate', to: 'primary filled', effect: 'fill primary' },
  { from: 'primary filled', event: 'generate', to: 'both filled', effect: 'fill secondary' },
  { from: 'both filled', event: 'flip', to: 'primary filled', effect: 'promote secondary' },
]

/** An operation without a row in the table is refused with these errors. [docs/onboarding#key-slots] */
const refusals = {
  generate: {
    code: 'key_slots_full',
    message: 'Both key slots are filled. Flip first: the secondary key becomes primary and frees its slot.',
  },
  flip: {
    code: 'secondary_key_empty',
    message: 'There is no secondary key to promote. Generate one first, and distribute it to the devices.',
  },
} as const

/** @throws key_slots_full, secondary_key_empty */
export function getEffect(operation: Operation, filled: Record<Slot, boolean>): Effect {
  const state = readState(filled)
  const transition = transitions.find(({ from, event }) => from === state && event === operation)
  if (transition) return transition.effect
  const { code, message } = refusals[operation]
  throw new ApiError(code, message)
}

const readState = ({ primary, secondary }: Record<Slot, boolean>): State => {
  if (!primary) return 'empty'
  return secondary ? 'both filled' : 'primary filled'
}
