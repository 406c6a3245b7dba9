/** The parts that work with most services. No service knows them: they are passed to what uses them. */
import { type CommandQueue, createCommandQueue } from './assets/commands/queue.ts'
import type { Context } from './context.ts'
import { createIngest, type Ingest } from './ingest/ingest.ts'
import { createSimulations, type Simulations } from './simulations/simulations.ts'

export interface Parts {
  /** Takes in every message, so that all of them share its commits. */
  ingest: Ingest
  /** Commands that wait for devices of the broker. */
  commandQueue: CommandQueue
  /** Simulated devices of this node. */
  simulations: Simulations
}

/** Before this node joins the others. */
export const createParts = (ctx: Context): Parts => ({
  ingest: createIngest(ctx),
  commandQueue: createCommandQueue(ctx),
  simulations: createSimulations(ctx),
})
