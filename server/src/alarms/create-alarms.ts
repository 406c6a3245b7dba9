import { coalesce } from '../lib/coalesce.ts'
import { afterCommit } from './after-commit.ts'
import type { Alarms } from './alarms.ts'
import { announceChanges } from './apply-alarms.ts'
import { applyNotice } from './apply-notice.ts'
import { forgetAll, forgetAssets } from './watch/forget.ts'
import { alarmNotices } from './notices.ts'
import { enqueueReevaluation, reevaluateTogether } from './watch/reevaluate.ts'
import type { BindingListeners } from '../assets/bindings/binding-changes.ts'
import type { Push } from '../push/state.ts'
import type { Runtime } from '../runtime.ts'
import { settleAssets } from './statuses/settle.ts'
import { createMemory, forgetTenant, listWatched } from './watch/memory.ts'
import { createUnevaluatedWarning } from './watch/warn-unevaluated.ts'

type Parts = Pick<Runtime, 'db' | 'log' | 'nodes'> & BindingListeners & { push: Push }

export function createAlarms(ctx: Parts): Alarms {
  const { db, log, nodes, push } = ctx
  const alarms: Alarms = {
    db,
    log,
    nodes,
    push,
    memory: createMemory(db),
    batches: 0,
    followUps: new Set(),
    reevaluateInTurn: coalesce((assets) => reevaluateTogether(alarms, assets), {
      maxBatch: 500,
      concurrency: 1,
    }),
    warnOfUnevaluated: createUnevaluatedWarning(log),
    settleAssets: async (tx, tenantId, settling) =>
      announceChanges(alarms, tx, await settleAssets(tx, tenantId, settling)),
    afterCommit: (changes) => afterCommit(alarms, changes),
  }
  // Notices of samples that were stored by other nodes may be among those that were lost.
  const catchUp = () => {
    forgetAll(alarms)
    enqueueReevaluation(alarms, listWatched(alarms.memory))
  }
  alarmNotices.subscribe(ctx, {
    onMessage: (notice, { isOwn }) => (isOwn ? undefined : applyNotice(alarms, notice)),
    onReconnect: () => {
      // A single server has missed nothing.
      if (!nodes.peers.exist) return forgetAll(alarms)
      catchUp()
      push.restartConnections()
    },
  })
  nodes.peers.onMet.push(catchUp)
  ctx.bindingListeners.push(({ tenantId, instanceIds }) => {
    if (tenantId === null) forgetAll(alarms)
    else if (instanceIds === null) forgetTenant(alarms.memory, tenantId)
    else forgetAssets(alarms, tenantId, instanceIds)
  })
  return alarms
}
