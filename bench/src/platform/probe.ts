/**
 * Loaded into the server under test before its own code (`node --import`), which does not change: reports its memory,
 * and ends it when the benchmark has ended.
 */
import { serve } from '../programs/serve.ts'
import { settledMemory } from '../programs/settled-memory.ts'

const handlers = {
  memory: settledMemory,
  /** Peak of resident bytes since the start. */
  peakMemory: async () => process.resourceUsage().maxRSS * 1024,
}

export type Probe = typeof handlers

serve(handlers)
// The server ends when its own work has ended.
process.channel?.unref()
