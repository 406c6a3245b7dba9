/**
 * Gathers the writes of many sessions into transactions, of which two are under way at most. Writes of one session stay
 * in their order.
 */
import {
  createGroupCommit,
  type GroupCommit,
  settled as groupSettled,
  submit as submitToGroup,
} from '../../../ingest/group-commit.ts'
import type { Runtime } from '../../../runtime.ts'
import { isolateFaults } from './isolate-faults.ts'
import { patienceSince } from './patience.ts'
import { countBytes, listLockedSessions, type Operation } from './operations.ts'
import { writeBatch } from './write-batch.ts'

export interface LaneContext extends Pick<Runtime, 'db' | 'nodes'> {
  /** Called after the commit for sessions of this node for which it stored messages as for others. */
  onNewMessages(sessionNumbers: number[]): void
}

interface Pending {
  operation: Operation
  sinceMs: number
  resolve(result: unknown): void
  reject(error: Error): void
}

export interface WriteLane {
  /** @returns what the operation yields, once it is durable */
  submit(operation: Operation): Promise<unknown>
  settled(): Promise<void>
}

export function createWriteLane(ctx: LaneContext): WriteLane {
  /** The sessions of each batch that is under way. */
  const underWay = new Set<Set<number>>()
  const group: GroupCommit<Pending> = createGroupCommit({
    flush: (pending, earlier) => flush(ctx, underWay, pending, earlier),
    maxItems: 1000,
    maxBytes: 4 * 1024 * 1024,
    concurrency: 2,
  })
  return {
    submit: (operation) =>
      new Promise((resolve, reject) => {
        const pending = { operation, sinceMs: performance.now(), resolve, reject }
        submitToGroup(group, pending, countBytes(operation), () => {})
      }),
    settled: () => groupSettled(group),
  }
}

async function flush(
  ctx: LaneContext,
  underWay: Set<Set<number>>,
  pending: Pending[],
  earlier: Promise<unknown>,
): Promise<void> {
  const sessions = new Set(pending.flatMap(({ operation }) => listLockedSessions(operation)))
  const mustWait = [...underWay].some((others) => [...sessions].some((number) => others.has(number)))
  underWay.add(sessions)
  if (mustWait) await earlier
  const outcomes = await isolateFaults(pending, (part) => writePart(ctx, part))
  underWay.delete(sessions)
  for (const [index, { operation, resolve, reject }] of pending.entries()) {
    const outcome = outcomes[index]
    if (!(outcome instanceof Error)) resolve(outcome)
    else {
      if (operation.kind === 'takeNewMessages') operation.packetIds.revert()
      reject(outcome)
    }
  }
}

async function writePart(ctx: LaneContext, part: Pending[]): Promise<unknown[]> {
  const operations = part.map(({ operation }) => operation)
  const { outcomes, newHere } = await writeBatch(ctx, operations, patienceSince(part[0]!.sinceMs))
  if (newHere.length > 0) ctx.onNewMessages(newHere)
  return outcomes
}
