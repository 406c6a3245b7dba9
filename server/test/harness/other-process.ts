/** A second process, as far as the first can tell: the database is all that both share. */
import { randomUUID } from 'node:crypto'
import { createAlarms } from '../../src/alarms/create-alarms.ts'
import { listenForBindings } from '../../src/assets/bindings/binding-changes.ts'
import { createCommandQueue } from '../../src/assets/commands/queue.ts'
import type { Context } from '../../src/context.ts'
import { createPeers } from '../../src/database/peers.ts'
import { createIngest } from '../../src/ingest/ingest.ts'
import { createHandovers } from '../../src/providers/handovers/handovers.ts'
import { createLiveSessions } from '../../src/providers/live-sessions.ts'
import { createPendingMethods } from '../../src/providers/pending-methods.ts'
import { createPush } from '../../src/push/push.ts'

export function otherProcess(ctx: Context): Context {
  const own = {
    nodeId: randomUUID(),
    liveSessions: createLiveSessions(),
    pendingMethods: createPendingMethods(),
    listeners: new Map(),
    bindingListeners: [],
    endpoints: {},
  }
  const other: Context = { ...ctx, ...own }
  other.peers = createPeers(other)
  other.push = createPush(other)
  other.alarms = createAlarms(other)
  other.ingest = createIngest(other)
  listenForBindings(other)
  other.handovers = createHandovers(other)
  other.commandQueue = createCommandQueue(other)
  return other
}
