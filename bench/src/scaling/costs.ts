/** The parameters of the model: processor time in microseconds. */
import type { Cost } from './figures.ts'

export interface PartCost {
  /** The cost of one sleep of a thread: half of it counts when the thread wakes, half when it sleeps again. */
  wake: number
  /** A read of what one device sent, with the write of its PUBACKs. For NATS: an ingest node reads a batch, from one server. */
  read: number
  message: number
  /** For NATS: on each server. Half of it is its deletion, which an ingest node asks for once the batch is stored. */
  batch: number
  commit: number
}

export type Costs = Record<keyof Cost, PartCost>

export interface Model {
  direct: Costs
  stream: Costs
}

export const chooseCosts = ({ direct, stream }: Model, replicas: number): Costs =>
  replicas === 0 ? direct : stream

export const NOTHING: PartCost = { wake: 0, read: 0, message: 0, batch: 0, commit: 0 }
