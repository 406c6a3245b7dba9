/** The simulations that run on this node: starting, failing and stopping them. */
import type { Context } from '../context.ts'
import type { SimulationRow } from '../database/tables/simulations.ts'
import { ApiError } from '../http/errors.ts'
import type { Fleet } from './fleet.ts'
import { markRunning, releaseLease } from './leases.ts'
import { prepareFleet } from './prepare-fleet.ts'
import type { Progress } from './progress.ts'
import { readProgress } from './schema.ts'

interface Run {
  deviceCount: number
  progress: Progress
  aborting: AbortController
  fleet: Fleet | undefined
  /** Resolves once the fleet runs, or has failed to start. */
  beginning: Promise<void>
}
/** Simulation id → run. */
export type Runs = Map<string, Run>

/** Starts a fleet in the background; a failure is recorded in its progress. */
export function beginRun(ctx: Context, runs: Runs, row: SimulationRow): void {
  const run: Run = {
    deviceCount: row.device_count,
    progress: { ...readProgress(row), connected: 0 },
    aborting: new AbortController(),
    fleet: undefined,
    beginning: Promise.resolve(),
  }
  runs.set(row.id, run)
  run.beginning = startRun(ctx, row, run).catch(async (error: unknown) => {
    await recordFailure(ctx, row, run, error)
    if (runs.get(row.id) === run) runs.delete(row.id)
  })
}

async function startRun(ctx: Context, row: SimulationRow, run: Run): Promise<void> {
  const startFleet = await prepareFleet(ctx, row, run.aborting.signal)
  const startedAt = run.aborting.signal.aborted ? undefined : await markRunning(ctx, row.id)
  if (!startedAt || run.aborting.signal.aborted) return
  run.fleet = startFleet(startedAt, run.progress)
  run.fleet.setFaults(row.faults)
}

/** An error below 500 would repeat, so it stops the simulation. After any other error the next reconciliation starts it again. */
async function recordFailure(ctx: Context, row: SimulationRow, { progress }: Run, error: unknown) {
  const isRefused = error instanceof ApiError && error.status < 500
  ctx.log.warn({ reason: (error as Error).message, simulation: row.id }, 'a simulation could not be started')
  progress.lastError = isRefused ? error.message : 'The simulation could not be started. It is tried again.'
  progress.errors++
  if (isRefused) await releaseLease(ctx, row.id, progress, 'stopped').catch(() => {})
}

/** @returns the last progress; undefined if the simulation does not run on this node */
export async function endRun(runs: Runs, id: string): Promise<Progress | undefined> {
  const run = runs.get(id)
  if (!run) return undefined
  run.aborting.abort()
  await run.beginning
  await run.fleet?.stop()
  runs.delete(id)
  return run.progress
}
