/** What may become of a simulation when somebody asks. What becomes of it by itself is the runner's: starting → running, stopping → stopped. */
import type { SimulationState } from '../database/tables/simulations.ts'
import { ApiError } from '../http/errors.ts'

type Request = 'start' | 'stop'

const table: Record<Request, Partial<Record<SimulationState, SimulationState>>> = {
  start: { stopped: 'starting' },
  // Asked twice it goes on stopping.
  stop: { starting: 'stopping', running: 'stopping', stopping: 'stopping' },
}

const refusals: Record<Request, string> = {
  start: 'Stop it first, and wait until it has stopped.',
  stop: 'Start it first.',
}

/** @throws conflict */
export function nextState(request: Request, state: SimulationState): SimulationState {
  const next = table[request][state]
  if (next) return next
  throw new ApiError('conflict', `The simulation is ${state}. ${refusals[request]}`, { state })
}
