/** Lets a few in at a time, each tenant in its turn, so that what one asks for in bulk does not hold up the others. */

export interface GateOptions {
  /** Inside at once, of all tenants and of one. */
  max: number
  maxOfTenant: number
}

export interface Gate {
  /** Resolves when it is the caller's turn, with what it calls when it leaves. @throws the reason of `signal` when that comes first */
  enter(tenantId: string, signal?: AbortSignal): Promise<() => void>
}

interface Tenant {
  inside: number
  waiting: (() => void)[]
}

export function createGate({ max, maxOfTenant }: GateOptions): Gate {
  /** In the order of their turns: who was let in goes to the end. */
  const tenants = new Map<string, Tenant>()
  let inside = 0

  /** Who has the fewest inside; of several, who was let in longest ago. */
  const next = (): [string, Tenant] | undefined =>
    [...tenants]
      .filter(([, tenant]) => tenant.waiting.length > 0 && tenant.inside < maxOfTenant)
      .toSorted(([, a], [, b]) => a.inside - b.inside)[0]

  const letIn = () => {
    for (let found = next(); found && inside < max; found = next()) {
      const [id, tenant] = found
      tenants.delete(id)
      tenants.set(id, tenant)
      tenant.inside++
      inside++
      tenant.waiting.shift()!()
    }
  }

  const leave = (id: string) => {
    const tenant = tenants.get(id)!
    tenant.inside--
    inside--
    if (tenant.inside === 0 && tenant.waiting.length === 0) tenants.delete(id)
    letIn()
  }

  return {
    enter: (id, signal) =>
      new Promise((resolve, reject) => {
        const tenant = tenants.get(id) ?? { inside: 0, waiting: [] }
        tenants.set(id, tenant)
        const giveUp = () => {
          tenant.waiting = tenant.waiting.filter((one) => one !== start)
          if (tenant.inside === 0 && tenant.waiting.length === 0) tenants.delete(id)
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
        letIn()
      }),
  }
}
