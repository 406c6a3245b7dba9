/** Generates a message of one device from its signals and faults. */
import type { Fault } from './faults/fault.ts'
import type { Generator, Moment } from './generators/generator.ts'
import type { Signal, SimulatedValue } from './generators/signal.ts'

/** The first message and every fifth after it is a spike. */
const SPIKE_EVERY = 5

export interface MessageSource {
  /** `whole` rounds numbers. */
  signals: { signal: Signal; whole: boolean; next: Generator }[]
  /** Messages since the spikes began. */
  spikeMessages: number
}

type Message = Record<string, SimulatedValue | Record<string, SimulatedValue>>

/** @returns undefined if no signal has a value */
export function makeMessage(
  speaker: MessageSource,
  faults: Pick<Fault, 'kind' | 'factor'>[],
  moment: Moment,
): Message | undefined {
  const factor = spikeFactor(speaker, faults)
  const message: Message = {}
  for (const { signal, whole, next } of speaker.signals) {
    const made = next(moment)
    if (made === undefined) continue
    const value = typeof made === 'number' ? roundNumber(made * factor, whole) : made
    if (signal.component === undefined) message[signal.name] = value
    else message[signal.component] = { ...(message[signal.component] as object), [signal.name]: value }
  }
  return Object.keys(message).length > 0 ? message : undefined
}

function spikeFactor(speaker: MessageSource, faults: Pick<Fault, 'kind' | 'factor'>[]): number {
  const spikes = faults.find(({ kind }) => kind === 'spikes')
  if (!spikes) speaker.spikeMessages = 0
  return spikes && speaker.spikeMessages++ % SPIKE_EVERY === 0 ? (spikes.factor ?? 1) : 1
}

/** Nine digits are more than a sensor resolves. */
const roundNumber = (value: number, whole: boolean) =>
  whole ? Math.round(value) : Number(value.toPrecision(9))
