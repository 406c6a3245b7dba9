/** Limits concurrency in all and for each tenant. Tenants take turns, so that one with many requests does not delay the others. */

export interface GateOptions {
  /** Concurrent callers of all tenants, and of one tenant. */
  max: number
  maxPerTenant: number
}

export interface Gate {
  /** Waits for the caller's turn. @returns a function that the caller calls when it is done @throws the reason of `signal` if it aborts first */
  enter(tenantId: string, signal?: AbortSignal): Promise<() => void>
}

interface Tenant {
  running: number
  waiting: (() => void)[]
}

export function createGate({ max, maxPerTenant }: GateOptions): Gate {
  /** In the order of their turns: an admitted tenant goes to the end. */
  const tenants = new Map<string, Tenant>()
  let inside = 0

  /** The tenant with the fewest running callers; of several, the one that was admitted longest ago. */
  const next = (): [string, Tenant] | undefined =>
    [...tenants]
      .filter(([, tenant]) => tenant.waiting.length > 0 && tenant.running < maxPerTenant)
      .toSorted(([, a], [, b]) => a.running - b.running)[0]

  const admit = () => {
    for (let found = next(); found && inside < max; found = next()) {
      const [id, tenant] = found
      tenants.delete(id)
      tenants.set(id, tenant)
      tenant.running++
      inside++
      tenant.waiting.shift()!()
    }
  }

  const leave = (id: string) => {
    const tenant = tenants.get(id)!
    tenant.running--
    inside--
    if (tenant.running === 0 && tenant.waiting.length === 0) tenants.delete(id)
    admit()
  }

  return {
    enter: (id, signal) =>
      new Promise((resolve, reject) => {
        const tenant = tenants.get(id) ?? { running: 0, waiting: [] }
        tenants.set(id, tenant)
        const giveUp = () => {
          tenant.waiting = tenant.waiting.filter((one) => one !== start)
          if (tenant.running === 0 && tenant.waiting.length === 0) tenants.delete(id)
          reject(signal!.reason as Error)
        }
        let hasLeft = false
        const start = () => {
          signal?.removeEventListener('abort', giveUp)
          resolve(() => {
            if (!hasLeft) leave(id)
            hasLeft = true
          })
        }
        signal?.addEventListener('abort', giveUp, { once: true })
        tenant.waiting.push(start)
        admit()
      }),
  }
}
