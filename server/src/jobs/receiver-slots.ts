/**
 * Limits concurrent deliveries. A worker that polls for a job must skip jobs with the flags of kinds, tenants and
 * receivers whose slots are all in use. Workers poll one after the other, so that no two of them take the last slot.
 */
import type { WorkerEvents } from 'graphile-worker'
import { createBoundedCache } from '../lib/bounded-cache.ts'
import { findBound } from './receiver.ts'

/** A receiver that has not answered for this long has a single slot again. Pauses of its circuit are at least as long. */
const TRUSTED_MS = 15_000
const MAX_TRUSTED = 20_000

export interface ReceiverSlots {
  /** Called by graphile-worker before it polls for a job. */
  findForbiddenFlags(): Promise<string[]>
  /**
   * The slots of a receiver grow by one with each answer and drop to one when an answer is missing, so that a receiver
   * that hangs holds one slot.
   */
  recordAnswer(receiver: string): void
  recordFailure(receiver: string): void
}

export function createReceiverSlots(events: WorkerEvents): ReceiverSlots {
  const inUse = new Map<string, number>()
  const trusted = createBoundedCache<string, { slots: number; untilMs: number }>(MAX_TRUSTED)
  const queue = createQueue()

  const trustedSlots = (receiver: string) => {
    const trust = trusted.get(receiver)
    return trust && trust.untilMs > Date.now() ? trust.slots : 1
  }
  const countSlots = (flag: string) => (flag.startsWith('receiver/') ? trustedSlots(flag) : findBound(flag))
  const count = (flags: object | null, change: 1 | -1) => {
    for (const flag of Object.keys(flags ?? {})) {
      const jobs = (inUse.get(flag) ?? 0) + change
      if (jobs > 0) inUse.set(flag, jobs)
      else inUse.delete(flag)
    }
  }

  events.on('job:start', ({ job }) => {
    count(job.flags, 1)
    queue.end()
  })
  events.on('job:complete', ({ job }) => count(job.flags, -1))
  events.on('worker:getJob:empty', () => queue.end())
  events.on('worker:getJob:error', () => queue.end())
  return {
    findForbiddenFlags: async () => {
      await queue.begin()
      return [...inUse].filter(([flag, jobs]) => jobs >= countSlots(flag)).map(([flag]) => flag)
    },
    recordAnswer: (receiver) => {
      const slots = Math.min(trustedSlots(receiver) + 1, findBound(receiver))
      trusted.set(receiver, { slots, untilMs: Date.now() + TRUSTED_MS })
    },
    recordFailure: (receiver) => trusted.delete(receiver),
  }
}

/** A queue that admits one caller at a time, in order. */
function createQueue() {
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
