/**
 * The simulations of this node. The database says what should run; each node looks there when somebody changed
 * something, and every ten seconds besides, and starts and stops fleets accordingly. [docs/simulations#states]
 */
import type { Context } from '../context.ts'
import type { SimulationRow } from '../database/tables/simulations.ts'
import {
  claimLeases,
  freeLeasesOfDead,
  listHeld,
  releaseLease,
  renewLeases,
  SIMULATION_CHANGED_CHANNEL,
} from './leases.ts'
import type { Progress } from './progress.ts'
import { beginRun, endRun, type Runs } from './runs.ts'
import { progressOf } from './schema.ts'

/** Devices that one process simulates. */
const MAX_RUNNING_DEVICES = 2000
const LOOK_EVERY_MS = 10_000

export interface Simulations {
  /** Progress of a simulation that runs on this node. */
  progressOf(id: string): Progress | undefined
  /** Devices for which this node has room. */
  room(): number
  /** Begins to run what should run. It stops by disposal, and another node goes on. */
  start(): Promise<AsyncDisposable>
}

interface State {
  ctx: Context
  runs: Runs
  isStarted: boolean
  /** The looks that are under way. */
  looking: Promise<void> | undefined
  isAskedAgain: boolean
}

export function createSimulations(ctx: Context): Simulations {
  const state: State = { ctx, runs: new Map(), isStarted: false, looking: undefined, isAskedAgain: false }
  ctx.listeners.set(SIMULATION_CHANGED_CHANNEL, {
    heard: () => void look(state),
    connected: () => void look(state),
  })
  return {
    progressOf: (id) => {
      const progress = state.runs.get(id)?.progress
      return progress && { ...progress }
    },
    room: () => roomIn(state.runs),
    async start() {
      state.isStarted = true
      const timer = setInterval(() => void look(state), LOOK_EVERY_MS)
      await look(state)
      return {
        [Symbol.asyncDispose]: () => {
          clearInterval(timer)
          return stop(state)
        },
      }
    },
  }
}

const roomIn = (runs: Runs) =>
  [...runs.values()].reduce((left, { deviceCount }) => left - deviceCount, MAX_RUNNING_DEVICES)

/** One look at a time; a request during one gets another look after it. */
function look(state: State): Promise<void> {
  if (!state.isStarted) return Promise.resolve()
  state.isAskedAgain = true
  state.looking ??= keepLooking(state)
  return state.looking
}

async function keepLooking(state: State) {
  while (state.isAskedAgain) {
    state.isAskedAgain = false
    await lookOnce(state).catch((error: Error) =>
      state.ctx.log.warn({ reason: error.message }, 'simulations could not be looked at'),
    )
  }
  state.looking = undefined
}

async function lookOnce(state: State) {
  const { ctx, runs } = state
  await renewLeases(ctx, new Map([...runs].map(([id, { progress }]) => [id, progress])))
  await freeLeasesOfDead(ctx)
  await claimLeases(ctx, roomIn(runs))
  const rows = await listHeld(ctx)
  const held = new Set(rows.map(({ id }) => id))
  // Deleted, or another node has it.
  for (const id of runs.keys()) if (!held.has(id)) await endRun(runs, id)
  for (const row of rows) await settle(state, row)
}

async function settle({ ctx, runs }: State, row: SimulationRow) {
  if (row.state === 'stopping' || row.state === 'deleting') {
    const progress = (await endRun(runs, row.id)) ?? progressOf(row)
    return releaseLease(ctx, row.id, progress, 'stopped')
  }
  const run = runs.get(row.id)
  if (run) run.fleet?.setFaults(row.faults)
  else beginRun(ctx, runs, row)
}

async function stop(state: State): Promise<void> {
  state.isStarted = false
  await state.looking
  await Promise.all(
    [...state.runs.keys()].map(async (id) => {
      const progress = await endRun(state.runs, id)
      if (progress) await releaseLease(state.ctx, id, progress).catch(() => {})
    }),
  )
}
