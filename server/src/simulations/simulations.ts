/**
 * The simulations of this process. What is to run stands in the database; each process looks there when somebody changed
 * something, and every ten seconds besides, and makes it so. [contract §9]
 */
import type { Context } from '../context.ts'
import { ApiError } from '../http/errors.ts'
import type { Fleet } from './fleet.ts'
import {
  claimLeases,
  freeLeasesOfDead,
  listHeld,
  markRunning,
  releaseLease,
  renewLeases,
  SIMULATION_CHANGED_CHANNEL,
} from './leases.ts'
import { prepareFleet } from './prepare-fleet.ts'
import type { Progress } from './progress.ts'
import { progressOf } from './schema.ts'
import type { SimulationRow } from '../database/tables/simulations.ts'

/** Devices that one process simulates. */
const MAX_RUNNING_DEVICES = 2000
const LOOK_EVERY_MS = 10_000

export interface Simulations {
  /** How one does that runs here. */
  progressOf(id: string): Progress | undefined
  /** Devices for which this process has room. */
  room(): number
  /** Begins to run what is to run. It stops by disposal, and another process goes on. */
  start(): Promise<AsyncDisposable>
}

interface Run {
  deviceCount: number
  progress: Progress
  aborting: AbortController
  fleet: Fleet | undefined
  /** Resolves once it is at work, or has failed to be. */
  beginning: Promise<void>
}

export function createSimulations(ctx: Context): Simulations {
  const runs = new Map<string, Run>()
  let isStarted = false
  let looking: Promise<void> | undefined
  let isAskedAgain = false

  const room = () =>
    [...runs.values()].reduce((left, { deviceCount }) => left - deviceCount, MAX_RUNNING_DEVICES)

  /** One look at a time; whoever asks during one gets another after it. */
  function look(): Promise<void> {
    if (!isStarted) return Promise.resolve()
    isAskedAgain = true
    looking ??= keepLooking()
    return looking
  }

  async function keepLooking() {
    while (isAskedAgain) {
      isAskedAgain = false
      await lookOnce().catch((error: Error) =>
        ctx.log.warn({ reason: error.message }, 'simulations could not be looked at'),
      )
    }
    looking = undefined
  }

  async function lookOnce() {
    await renewLeases(ctx, new Map([...runs].map(([id, { progress }]) => [id, progress])))
    await freeLeasesOfDead(ctx)
    await claimLeases(ctx, room())
    const rows = await listHeld(ctx)
    const held = new Set(rows.map(({ id }) => id))
    // Deleted, or another process has it.
    for (const id of runs.keys()) if (!held.has(id)) await halt(id)
    for (const row of rows) await settle(row)
  }

  async function settle(row: SimulationRow) {
    if (row.state === 'stopping' || row.state === 'deleting') {
      const progress = (await halt(row.id)) ?? progressOf(row)
      return releaseLease(ctx, row.id, progress, 'stopped')
    }
    const run = runs.get(row.id)
    if (run) run.fleet?.setFaults(row.faults)
    else begin(row)
  }

  function begin(row: SimulationRow) {
    const progress = { ...progressOf(row), connected: 0 }
    const aborting = new AbortController()
    const run: Run = {
      deviceCount: row.device_count,
      progress,
      aborting,
      fleet: undefined,
      beginning: Promise.resolve(),
    }
    runs.set(row.id, run)
    run.beginning = bringUp(row, run).catch((error: unknown) => giveUp(row, run, error))
  }

  async function bringUp(row: SimulationRow, run: Run) {
    const startFleet = await prepareFleet(ctx, row, run.aborting.signal)
    const startedAt = run.aborting.signal.aborted ? undefined : await markRunning(ctx, row.id)
    if (!startedAt || run.aborting.signal.aborted) return
    run.fleet = startFleet(startedAt, run.progress)
    run.fleet.setFaults(row.faults)
  }

  /** What is refused will be refused again; anything else passes, and the next look begins anew. */
  async function giveUp(row: SimulationRow, run: Run, error: unknown) {
    const isRefused = error instanceof ApiError && error.status < 500
    ctx.log.warn({ reason: (error as Error).message, simulation: row.id }, 'a simulation did not start')
    run.progress.lastError = isRefused ? error.message : 'It did not start, and is tried again.'
    run.progress.errors++
    if (isRefused) await releaseLease(ctx, row.id, run.progress, 'stopped').catch(() => {})
    if (runs.get(row.id) === run) runs.delete(row.id)
  }

  /** @returns how it did */
  async function halt(id: string): Promise<Progress | undefined> {
    const run = runs.get(id)
    if (!run) return undefined
    run.aborting.abort()
    await run.beginning
    await run.fleet?.stop()
    runs.delete(id)
    return run.progress
  }

  ctx.listeners.set(SIMULATION_CHANGED_CHANNEL, { heard: () => void look(), connected: () => void look() })
  return {
    progressOf: (id) => {
      const progress = runs.get(id)?.progress
      return progress && { ...progress }
    },
    room,
    async start() {
      isStarted = true
      const timer = setInterval(() => void look(), LOOK_EVERY_MS)
      await look()
      return {
        [Symbol.asyncDispose]: async () => {
          clearInterval(timer)
          isStarted = false
          await looking
          await Promise.all(
            [...runs.keys()].map(async (id) => {
              const progress = await halt(id)
              if (progress) await releaseLease(ctx, id, progress).catch(() => {})
            }),
          )
        },
      }
    },
  }
}
