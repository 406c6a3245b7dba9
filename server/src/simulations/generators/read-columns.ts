/** Columns of shared resources, for csv signals. */
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import type { Signal, SimulatedValue } from './signal.ts'

/** @returns by the signal */
export async function readColumns(
  _ctx: Context,
  _caller: Caller,
  signals: Signal[],
): Promise<Map<Signal, SimulatedValue[]>> {
  void signals
  return new Map()
}
