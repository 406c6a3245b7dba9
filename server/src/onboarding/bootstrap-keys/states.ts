/** What each operation does in each state of the key slots. [docs/onboarding#key-slots] */
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

/** What has no row is refused. [docs/onboarding#key-slots] */
const refusals = {
  generate: {
    code: 'key_slots_full',
    message: 'Both key slots are filled. Flip first: the secondary key becomes primary and its slot free.',
  },
  flip: {
    code: 'secondary_key_empty',
    message: 'There is no secondary key to promote. Generate one first, and bring it to the devices.',
  },
} as const

/** @throws key_slots_full, secondary_key_empty */
export function effectOf(operation: Operation, filled: Record<Slot, boolean>): Effect {
  const state = stateOf(filled)
  const transition = transitions.find(({ from, event }) => from === state && event === operation)
  if (transition) return transition.effect
  const { code, message } = refusals[operation]
  throw new ApiError(code, message)
}

const stateOf = ({ primary, secondary }: Record<Slot, boolean>): State => {
  if (!primary) return 'empty'
  return secondary ? 'both filled' : 'primary filled'
}
