/** A second node: it shares only the database with the first. */
import { createAlarms } from '../../src/alarms/create-alarms.ts'
import { subscribeToBindingChanges } from '../../src/assets/bindings/binding-changes.ts'
import { createCommandQueue } from '../../src/assets/commands/queue.ts'
import type { Context } from '../../src/context.ts'
import { createIngest } from '../../src/ingest/ingest.ts'
import { subscribeToFailures } from '../../src/ingest/projection/failures.ts'
import { createPlans } from '../../src/ingest/projection/plans.ts'
import { createNodes } from '../../src/nodes/nodes.ts'
import type { Parts } from '../../src/parts.ts'
import { createMethodRelay } from '../../src/providers/method-relay/method-relay.ts'
import { createLiveSessions } from '../../src/providers/live-sessions.ts'
import { createPendingMethods } from '../../src/providers/pending-methods.ts'
import { createPush } from '../../src/push/push.ts'
import { holdableTransport, type HoldableTransport } from './holdable-transport.ts'

export type OtherProcess = Context & Pick<Parts, 'ingest' | 'commandQueue'> & { transport: HoldableTransport }

export function otherProcess(ctx: Context): OtherProcess {
  const transport = holdableTransport(ctx)
  const bindingListeners: Context['bindingListeners'] = []
  const own = {
    ...ctx,
    nodes: createNodes({ ...ctx, transport }),
    liveSessions: createLiveSessions(transport.interests),
    pendingMethods: createPendingMethods(),
    plans: createPlans({ bindingListeners }),
    bindingListeners,
    endpoints: {},
  }
  const push = createPush(own)
  const other = { ...own, push, alarms: createAlarms({ ...own, push }), methodRelay: createMethodRelay(own) }
  subscribeToBindingChanges(other)
  subscribeToFailures(other)
  return { ...other, transport, ingest: createIngest(other), commandQueue: createCommandQueue(other) }
}
