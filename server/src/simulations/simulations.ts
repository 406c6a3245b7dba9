/**
 * The simulations of this node. The database says what should run; each node compares this with what it runs, after
 * each change and every ten seconds, and starts and stops fleets accordingly. [docs/simulations#states]
 */
import type { Context } from '../context.ts'
import type { SimulationRow } from '../database/tables/simulations.ts'
import {
  claimLeases,
  freeLeasesOfDeadNodes,
  listHeld,
  releaseLease,
  renewLeases,
  simulationChanged,
} from './leases.ts'
import type { Progress } from './progress.ts'
import { beginRun, endRun, type Runs } from './runs.ts'
import { readProgress } from './schema.ts'

/** Limit of simulated devices on one node. */
export const MAX_RUNNING_DEVICES = 2000
const RECONCILE_EVERY_MS = 10_000

export interface Simulations {
  /** Progress of a simulation that runs on this node. */
  findProgress(id: string): Progress | undefined
  /** Number of further devices that this node can simulate. */
  freeDevices(): number
  /** Starts to run simulations. On disposal they stop, and another node continues them. */
  start(): Promise<AsyncDisposable>
}

interface State {
  ctx: Context
  runs: Runs
  isStarted: boolean
  /** The reconciliation in progress. */
  reconciling: Promise<void> | undefined
  isRequestedAgain: boolean
}

export function createSimulations(ctx: Context): Simulations {
  const state: State = {
    ctx,
    runs: new Map(),
    isStarted: false,
    reconciling: undefined,
    isRequestedAgain: false,
  }
  simulationChanged.subscribe(ctx, {
    onMessage: () => void reconcile(state),
    onReconnect: () => void reconcile(state),
  })
  return {
    findProgress: (id) => {
      const progress = state.runs.get(id)?.progress
      return progress && { ...progress }
    },
    freeDevices: () => countFreeDevices(state.runs),
    async start() {
      state.isStarted = true
      const timer = setInterval(() => void reconcile(state), RECONCILE_EVERY_MS)
      await reconcile(state)
      return {
        [Symbol.asyncDispose]: () => {
          clearInterval(timer)
          return stop(state)
        },
      }
    },
  }
}

const countFreeDevices = (runs: Runs) =>
  [...runs.values()].reduce((left, { deviceCount }) => left - deviceCount, MAX_RUNNING_DEVICES)

/** Runs one reconciliation at a time; a request during one starts another after it. */
function reconcile(state: State): Promise<void> {
  if (!state.isStarted) return Promise.resolve()
  state.isRequestedAgain = true
  state.reconciling ??= reconcileUntilIdle(state)
  return state.reconciling
}

async function reconcileUntilIdle(state: State) {
  while (state.isRequestedAgain) {
    state.isRequestedAgain = false
    await reconcileOnce(state).catch((error: Error) =>
      state.ctx.log.warn({ reason: error.message }, 'the simulations of this node could not be updated'),
    )
  }
  state.reconciling = undefined
}

async function reconcileOnce(state: State) {
  const { ctx, runs } = state
  await renewLeases(ctx, new Map([...runs].map(([id, { progress }]) => [id, progress])))
  await freeLeasesOfDeadNodes(ctx)
  await claimLeases(ctx, countFreeDevices(runs))
  const rows = await listHeld(ctx)
  const held = new Set(rows.map(({ id }) => id))
  // The simulation was deleted, or another node holds its lease.
  for (const id of runs.keys()) if (!held.has(id)) await endRun(runs, id)
  for (const row of rows) await reconcileSimulation(state, row)
}

async function reconcileSimulation({ ctx, runs }: State, row: SimulationRow) {
  if (row.state === 'stopping' || row.state === 'deleting') {
    const progress = (await endRun(runs, row.id)) ?? readProgress(row)
    return releaseLease(ctx, row.id, progress, 'stopped')
  }
  const run = runs.get(row.id)
  if (run) run.fleet?.setFaults(row.faults)
  else beginRun(ctx, runs, row)
}

async function stop(state: State): Promise<void> {
  state.isStarted = false
  await state.reconciling
  await Promise.all(
    [...state.runs.keys()].map(async (id) => {
      const progress = await endRun(state.runs, id)
      if (progress) await releaseLease(state.ctx, id, progress).catch(() => {})
    }),
  )
}
