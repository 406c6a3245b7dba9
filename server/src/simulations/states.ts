/** State transitions on request. The node that runs the simulation makes the others: starting → running, stopping → stopped. */
import type { SimulationState } from '../database/tables/simulations.ts'
import { ApiError } from '../http/errors.ts'
import { stateAfter, type Transition } from '../lib/state-table.ts'

type Request = 'start' | 'stop'

const transitions: Transition<SimulationState, Request>[] = [
  { from: 'stopped', event: 'start', to: 'starting' },
  { from: 'starting', event: 'stop', to: 'stopping' },
  { from: 'running', event: 'stop', to: 'stopping' },
  // A second request changes nothing.
  { from: 'stopping', event: 'stop', to: 'stopping' },
]

const refusals: Record<Request, string> = {
  start: 'Stop it first, and wait until it has stopped.',
  stop: 'Start it first.',
}

/** @throws conflict */
export function nextState(request: Request, state: SimulationState): SimulationState {
  const next = stateAfter(transitions, state, request)
  if (next) return next
  throw new ApiError('conflict', `The simulation is ${state}. ${refusals[request]}`, { state })
}
