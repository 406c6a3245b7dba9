/** Limits concurrency in all and for each tenant. Tenants take turns, so that one with many requests does not delay the others. */
import { runOnce } from '../lib/run-once.ts'

export interface GateOptions {
  /** Concurrent callers of all tenants, and of one tenant. */
  max: number
  maxPerTenant: number
}

export interface Gate {
  /** Waits for the caller's turn. @returns a function that the caller calls when it is done @throws the reason of `signal` if it is aborted before the turn */
  enter(tenantId: string, signal?: AbortSignal): Promise<() => void>
}

interface Tenant {
  running: number
  waiting: (() => void)[]
}

interface State extends GateOptions {
  /** In the order of their turns: an admitted tenant goes to the end. */
  readonly tenants: Map<string, Tenant>
  inside: number
}

export function createGate(options: GateOptions): Gate {
  const gate: State = { ...options, tenants: new Map(), inside: 0 }
  return { enter: (tenantId, signal) => enter(gate, tenantId, signal) }
}

function enter(gate: State, id: string, signal?: AbortSignal): Promise<() => void> {
  if (signal?.aborted) return Promise.reject(signal.reason as Error)
  const tenant = gate.tenants.get(id) ?? { running: 0, waiting: [] }
  gate.tenants.set(id, tenant)
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      tenant.waiting = tenant.waiting.filter((one) => one !== start)
      forgetIdle(gate, id, tenant)
      reject(signal!.reason as Error)
    }
    const start = () => {
      signal?.removeEventListener('abort', giveUp)
      resolve(runOnce(() => leave(gate, id)))
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    tenant.waiting.push(start)
    admit(gate)
  })
}

function admit(gate: State) {
  for (let found = findNext(gate); found && gate.inside < gate.max; found = findNext(gate)) {
    const [id, tenant] = found
    gate.tenants.delete(id)
    gate.tenants.set(id, tenant)
    tenant.running++
    gate.inside++
    tenant.waiting.shift()!()
  }
}

/** The tenant with the fewest running callers; of several, the one that was admitted longest ago. */
const findNext = ({ tenants, maxPerTenant }: State): [string, Tenant] | undefined =>
  [...tenants]
    .filter(([, tenant]) => tenant.waiting.length > 0 && tenant.running < maxPerTenant)
    .toSorted(([, a], [, b]) => a.running - b.running)[0]

function leave(gate: State, id: string) {
  const tenant = gate.tenants.get(id)!
  tenant.running--
  gate.inside--
  forgetIdle(gate, id, tenant)
  admit(gate)
}

function forgetIdle({ tenants }: State, id: string, { running, waiting }: Tenant) {
  if (running === 0 && waiting.length === 0) tenants.delete(id)
}
