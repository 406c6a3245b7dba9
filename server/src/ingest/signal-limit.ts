import { UnreadableError } from './unreadable.ts'

/** Maximum number of signals of one message. */
export const MAX_SIGNALS = 10_000

export const tooManySignals = () =>
  new UnreadableError('too_many_signals', `A message carries up to ${MAX_SIGNALS} signals. Divide it.`)
