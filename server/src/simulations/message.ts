/** What one device says in one message, as its signals and faults have it. */
import type { Fault } from './faults/fault.ts'
import type { Generator, Moment } from './generators/generator.ts'
import type { Signal, SimulatedValue } from './generators/signal.ts'

/** The first message is a spike, and then each fifth. */
const SPIKE_EVERY = 5

export interface Speaker {
  /** With `whole`, numbers are rounded. */
  signals: { signal: Signal; whole: boolean; next: Generator }[]
  /** Messages since spikes began. */
  spiking: number
}

type Message = Record<string, SimulatedValue | Record<string, SimulatedValue>>

/** @returns nothing when there is nothing to say */
export function makeMessage(
  speaker: Speaker,
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

function spikeFactor(speaker: Speaker, faults: Pick<Fault, 'kind' | 'factor'>[]): number {
  const spikes = faults.find(({ kind }) => kind === 'spikes')
  if (!spikes) speaker.spiking = 0
  return spikes && speaker.spiking++ % SPIKE_EVERY === 0 ? (spikes.factor ?? 1) : 1
}

/** More digits than that no sensor has. */
const roundNumber = (value: number, whole: boolean) =>
  whole ? Math.round(value) : Number(value.toPrecision(9))
