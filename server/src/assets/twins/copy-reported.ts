/**
 * A newly bound property gets its value at once if its device has reported one before, instead of with the next report.
 * [docs/assets#properties]
 */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { LogicError, readLogic } from '../../lib/json-logic.ts'
import { isProperties, ownValue, type Properties } from '../../providers/twin/merge-patch.ts'
import type { Binding, Remote } from '../bindings/store.ts'
import { applyTransform } from '../bindings/transform.ts'
import { localEndpointKey } from '../endpoints.ts'
import type { ModelEndpoints } from '../models/model-endpoints.ts'
import { fitsSchema } from '../models/fits-schema.ts'
import { mergeReported, type ReportedValue } from './merge-reported.ts'

/**
 * Runs in the transaction that binds.
 * @param bindings the new or changed bindings of one asset
 * @param endpoints the endpoints of its model
 */
export async function copyReported(
  tx: Kysely<Tables>,
  tenantId: string,
  bindings: Binding[],
  endpoints: ModelEndpoints,
): Promise<void> {
  const properties = bindings.filter(({ kind }) => kind === 'property')
  if (properties.length === 0) return
  const reported = await readReported(tx, tenantId, properties)
  const values: ReportedValue[] = []
  for (const binding of properties) {
    const value = reported.computeValue(binding)
    const content = endpoints.get(localEndpointKey(binding))
    if (content?.kind === 'property' && value !== undefined && fitsSchema(content.schema, value))
      values.push({ componentId: binding.componentId, name: binding.name, value })
  }
  if (values.length > 0)
    await mergeReported(tx, [{ assetNumber: properties[0]!.assetNumber, values, at: new Date() }])
}

export interface Reported {
  /** @returns undefined if a remote value is unknown or the transform has no result */
  computeValue(binding: Binding): unknown
  hasReported(type: Remote['instanceType'], id: string): boolean
}

/** Reads what the remotes of bindings of properties have reported so far. */
export async function readReported(
  tx: Kysely<Tables>,
  tenantId: string,
  bindings: Binding[],
): Promise<Reported> {
  const remotes = bindings.flatMap((binding) => binding.remotes)
  const states = await listReported(tx, tenantId, remotes)
  return {
    computeValue: (binding) => computeValue(binding, states),
    hasReported: (instanceType, instanceId) =>
      Object.keys(states.get(instanceKey({ instanceType, instanceId })) ?? {}).length > 0,
  }
}

/** Reported properties by instance. */
type States = Map<string, Properties>
const instanceKey = ({ instanceType, instanceId }: Pick<Remote, 'instanceType' | 'instanceId'>) =>
  `${instanceType} ${instanceId}`

function computeValue(binding: Binding, states: States): unknown {
  const values: Properties = Object.create(null) as Properties
  for (const remote of binding.remotes) {
    const state = states.get(instanceKey(remote)) ?? {}
    const place = remote.componentId ? ownValue(state, remote.componentId) : state
    const value = isProperties(place) ? ownValue(place, remote.name) : undefined
    if (value === undefined) return undefined
    values[remote.remoteName] = value
    if (binding.remotes.length === 1) values.value = value
  }
  if (binding.transform === null) return values[binding.remotes[0]!.remoteName]
  try {
    return applyTransform(readLogic(binding.transform, 'transform'), values) ?? undefined
  } catch (error) {
    // The next report shows the error.
    if (error instanceof LogicError) return undefined
    throw error
  }
}

async function listReported(tx: Kysely<Tables>, tenantId: string, remotes: Remote[]): Promise<States> {
  const listIds = (type: Remote['instanceType']) =>
    remotes.filter(({ instanceType }) => instanceType === type).map(({ instanceId }) => instanceId)
  const { rows } = await sql<{ type: Remote['instanceType']; id: string; reported: Properties }>`
    select 'client' as type, c.id, t.reported
    from provider_clients c join client_twins t on t.client_number = c.number
    where c.tenant_id = ${tenantId} and c.id = any(${listIds('client')}::text[])
    union all
    select 'asset', a.id, t.reported from assets a join asset_twins t on t.asset_number = a.number
    where a.tenant_id = ${tenantId} and a.id = any(${listIds('asset')}::text[])`.execute(tx)
  return new Map(
    rows.map(({ type, id, reported }) => [instanceKey({ instanceType: type, instanceId: id }), reported]),
  )
}
