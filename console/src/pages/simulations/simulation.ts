import type { Schemas } from '@gangway/client'
import type { StateKind } from '../../parts/StateMark.tsx'

export type Simulation = Schemas['Simulation']
export type Fault = Simulation['faults'][number]

export const simulationMarks: Record<Simulation['state'], StateKind> = {
  stopped: 'off',
  starting: 'active',
  running: 'good',
  stopping: 'active',
}

/** Where a fault is over the server still sends it until it is read again. */
export const isFaultOver = ({ until }: Fault, nowMs: number) => Date.parse(until) <= nowMs
