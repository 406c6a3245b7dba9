/** What the parts of the simulation share. */
import type { Delay, Point } from './figures.ts'
import type { Costs } from './fit.ts'
import type { Machine, Thread } from './machine.ts'

export interface Load extends Pick<Point, 'replicas' | 'messagesPerSecond' | 'inFlight'> {
  devices: number
  seconds: number
  /** Shared by all processes. */
  processors: number
  costs: Costs
  /** How long PostgreSQL and NATS take for an acknowledgement beside their work. */
  commit: Delay
  publish: Delay
  /** How late a process that slept is woken. */
  wake: Delay
}

/** A message: when it was due, and its device. */
export interface Message {
  dueMs: number
  device: number
}

/** What the ways of a message share. */
export interface World {
  load: Load
  machine: Machine
  fleet: Thread
  gateway: Thread
  /** The connections of PostgreSQL that commit. */
  backends: Thread[]
  random: () => number
  commits: { count: number; messages: number }
  batches: { count: number; messages: number }
  /** The gateway has written the PUBACKs. */
  acknowledge(messages: Message[]): void
}

/** Takes messages that the gateway has read. */
export type Accept = (messages: Message[]) => void
