/**
 * Plans in memory, by provider client. A change of bindings removes the plans that it concerns, so that each message is
 * stored with either the old bindings or the new ones, and never with some of both.
 */
import type { BindingChange, BindingListeners } from '../../assets/bindings/binding-changes.ts'
import type { Runtime } from '../../runtime.ts'
import type { Device } from '../message.ts'
import { compilePlan, linkSteps } from './compile-plan.ts'
import { listBoundAssets } from './bound-assets.ts'
import { localEndpointKey } from '../../assets/endpoints.ts'
import { addFailing, createFailures, type Failures } from './failures.ts'
import type { Plan } from './step.ts'

export interface Plans {
  /** Plans by tenant and client. A client that no asset reads has an entry without a plan. */
  tenants: Map<string, TenantPlans>
  count: number
  /** Increases with each change: plans that were read before a change are not cached. */
  version: number
  failures: Failures
}

interface TenantPlans {
  byClient: Map<string, Plan | undefined>
  /** Ids of clients by the assets in their plans. */
  clientsByAsset: Map<string, Set<string>>
}

/** Above this number the cache is emptied; an installation of that size has enough memory for more. */
const MAX_PLANS = 200_000

/** Creates the cache and subscribes it to changes of bindings. */
export function createPlans(ctx: BindingListeners): Plans {
  const plans: Plans = { tenants: new Map(), count: 0, version: 0, failures: createFailures() }
  ctx.bindingListeners.push((change) => forget(plans, change))
  return plans
}

/** @returns null if it is unknown whether the client has a plan */
function findPlan(plans: Plans, { tenantId, id }: Device): Plan | undefined | null {
  const tenant = plans.tenants.get(tenantId)
  const plan = tenant?.byClient.get(id)
  return plan === undefined && !tenant?.byClient.has(id) ? null : plan
}

export type PlanContext = Pick<Runtime, 'db'> & { plans: Plans }

/** Loading is repeated this often where bindings change meanwhile. */
const TRIES = 5

/**
 * Returns one plan for each device, all from the same moment, so that each message is stored with one set of bindings.
 */
export async function getPlans(ctx: PlanContext, devices: Device[]): Promise<(Plan | undefined)[]> {
  const known = devices.map((device) => findPlan(ctx.plans, device))
  const missing = devices.filter((_device, index) => known[index] === null)
  if (missing.length === 0) return known as (Plan | undefined)[]
  const loaded = await loadPlans(ctx, missing)
  return devices.map(({ tenantId, id }, index) => known[index] ?? loaded.get(tenantId)?.get(id))
}

/** Loaded plans by tenant and client. */
type Loaded = Map<string, Map<string, Plan | undefined>>

async function loadPlans(ctx: PlanContext, devices: Device[]): Promise<Loaded> {
  const loaded: Loaded = new Map()
  for (const { tenantId, id } of devices) {
    const ofTenant = loaded.get(tenantId)
    if (ofTenant) ofTenant.set(id, undefined)
    else loaded.set(tenantId, new Map([[id, undefined]]))
  }
  for (const [tenantId, byClient] of loaded) await loadTenant(ctx, tenantId, byClient)
  return loaded
}

/** @param byClient the clients of the tenant, whose plans are filled in */
async function loadTenant(
  { db, plans }: PlanContext,
  tenantId: string,
  byClient: Map<string, Plan | undefined>,
): Promise<void> {
  const clientIds = [...byClient.keys()]
  for (let tries = 1; ; tries++) {
    const { version } = plans
    const bound = await listBoundAssets(db, tenantId, clientIds)
    for (const binding of bound.bindings)
      if (binding.error !== null) addFailing(plans.failures, binding.assetNumber, localEndpointKey(binding))
    const graph = linkSteps(bound)
    const isOutdated = version !== plans.version
    if (isOutdated && tries < TRIES) continue
    for (const id of clientIds) {
      const plan = compilePlan(graph, id)
      byClient.set(id, plan)
      // The plan was valid a moment ago and applies to messages that arrived then, but it must not be cached.
      if (!isOutdated) remember(plans, tenantId, id, plan)
    }
    return
  }
}

function remember(plans: Plans, tenantId: string, clientId: string, plan: Plan | undefined): void {
  if (plans.count >= MAX_PLANS) forgetAll(plans)
  const tenant = plans.tenants.get(tenantId) ?? { byClient: new Map(), clientsByAsset: new Map() }
  plans.tenants.set(tenantId, tenant)
  if (!tenant.byClient.has(clientId)) plans.count++
  tenant.byClient.set(clientId, plan)
  for (const assetId of plan?.assetIds ?? []) {
    const clients = tenant.clientsByAsset.get(assetId)
    if (clients) clients.add(clientId)
    else tenant.clientsByAsset.set(assetId, new Set([clientId]))
  }
}

function forget(plans: Plans, { tenantId, instanceIds }: BindingChange): void {
  plans.version++
  if (tenantId === null) return forgetAll(plans)
  const tenant = plans.tenants.get(tenantId)
  if (!tenant) return
  if (instanceIds === null) {
    plans.count -= tenant.byClient.size
    plans.tenants.delete(tenantId)
    return
  }
  for (const id of instanceIds) {
    for (const clientId of [id, ...(tenant.clientsByAsset.get(id) ?? [])]) {
      if (tenant.byClient.delete(clientId)) plans.count--
    }
    tenant.clientsByAsset.delete(id)
  }
}

function forgetAll(plans: Plans): void {
  plans.tenants.clear()
  plans.count = 0
}
