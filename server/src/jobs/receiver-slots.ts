/**
 * Who may send next. A worker that looks for a job is told which flags it must not take: those of kinds, tenants and
 * receivers that have all their slots in use. Workers look one after the other, so that no two of them take the last slot.
 */
import type { WorkerEvents } from 'graphile-worker'
import { createMemo } from '../lib/memo.ts'
import { boundOfFlag } from './receiver.ts'

/** A receiver that has not answered for this long gets a single slot again. Pauses of its circuit are not shorter. */
const TRUSTED_MS = 15_000
const MAX_TRUSTED = 20_000

export interface ReceiverSlots {
  /** What graphile-worker asks before it looks for a job. */
  findForbiddenFlags(): Promise<string[]>
  /**
   * A receiver's slots grow with each answer, from one on, and fall back to one when an answer is missing: of many
   * receivers that hang each holds one slot.
   */
  recordAnswer(receiver: string): void
  recordFailure(receiver: string): void
}

export function createReceiverSlots(events: WorkerEvents): ReceiverSlots {
  const inUse = new Map<string, number>()
  const trusted = createMemo<string, { slots: number; untilMs: number }>(MAX_TRUSTED)
  const turns = createTurns()

  const trustedSlots = (receiver: string) => {
    const trust = trusted.get(receiver)
    return trust && trust.untilMs > Date.now() ? trust.slots : 1
  }
  const slotsOf = (flag: string) => (flag.startsWith('receiver/') ? trustedSlots(flag) : boundOfFlag(flag))
  const count = (flags: object | null, change: 1 | -1) => {
    for (const flag of Object.keys(flags ?? {})) {
      const jobs = (inUse.get(flag) ?? 0) + change
      if (jobs > 0) inUse.set(flag, jobs)
      else inUse.delete(flag)
    }
  }

  events.on('job:start', ({ job }) => {
    count(job.flags, 1)
    turns.end()
  })
  events.on('job:complete', ({ job }) => count(job.flags, -1))
  events.on('worker:getJob:empty', () => turns.end())
  events.on('worker:getJob:error', () => turns.end())
  return {
    findForbiddenFlags: async () => {
      await turns.begin()
      return [...inUse].filter(([flag, jobs]) => jobs >= slotsOf(flag)).map(([flag]) => flag)
    },
    recordAnswer: (receiver) => {
      const slots = Math.min(trustedSlots(receiver) + 1, boundOfFlag(receiver))
      trusted.set(receiver, { slots, untilMs: Date.now() + TRUSTED_MS })
    },
    recordFailure: (receiver) => trusted.delete(receiver),
  }
}

/** One at a time, in the order of asking. */
function createTurns() {
  let last = Promise.resolve()
  let end = () => {}
  return {
    begin: async () => {
      const before = last
      let finish = () => {}
      last = new Promise((resolve) => (finish = resolve))
      await before
      end = finish
    },
    end: () => end(),
  }
}
