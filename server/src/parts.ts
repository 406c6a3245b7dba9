/** Parts that use most services. They are not in the context: `main.ts` passes them on. */
import { type CommandQueue, createCommandQueue } from './assets/commands/queue.ts'
import type { Context } from './context.ts'
import { createIngest, type Ingest } from './ingest/ingest.ts'
import type { IngestStream } from './ingest/stream/ingest-stream.ts'
import type { GatewayNeeds } from './mqtt/gateway-parts.ts'
import { createSimulations, type Simulations } from './simulations/simulations.ts'

export interface Parts {
  /** Stores messages in the database; they share its group commits. */
  ingest: Ingest
  /** Takes the messages of devices before they are stored; undefined without GANGWAY_INGEST=stream. */
  stream?: IngestStream | undefined
  /** Commands that wait for connected devices. */
  commandQueue: CommandQueue
  /** Simulated devices of this node. */
  simulations: Simulations
}

/** Must be called before this node joins. */
export const createParts = (ctx: Context): Parts => ({
  ingest: createIngest(ctx),
  commandQueue: createCommandQueue(ctx),
  simulations: createSimulations(ctx),
})

export const gatewayNeeds = ({ ingest, stream, commandQueue }: Parts): GatewayNeeds => ({
  ingest: stream?.ingest ?? ingest,
  commandQueue,
})
