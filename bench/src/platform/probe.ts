/**
 * Loaded into the server under test ahead of its own code (`node --import`), which stays as it is: measures its memory
 * and its event loop, and ends it when the bench is gone.
 */
import { serve } from '../programs/serve.ts'
import { longestHold } from '../programs/event-loop.ts'
import { settledMemory } from '../programs/settled-memory.ts'

const handlers = {
  memory: settledMemory,
  longestHold: async () => longestHold(),
  /** Peak of resident bytes since the start. */
  peakMemory: async () => process.resourceUsage().maxRSS * 1024,
}

export type Probe = typeof handlers

serve(handlers)
// The server ends when its own work has ended.
process.channel?.unref()
