/** The instances that a bind request names: provider clients and other assets. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { type Issue, validationError } from '../../http/errors.ts'
import type { ProviderType } from '../../providers/provider-type.ts'
import { endpointHint, parseEndpointId } from '../endpoints.ts'
import type { BindRequest, EndpointBinding } from './schema.ts'

export type Instance =
  | { type: 'client'; id: string; providerType: ProviderType }
  | { type: 'asset'; id: string; modelId: string }
export type Instances = ReadonlyMap<string, Instance>

const MAX_ISSUES = 20

/** Serializes the binds of a tenant that may read from assets, since two at the same time could create a loop. */
const lockBindingsToAssets = (tx: Kysely<Tables>, tenantId: string) =>
  sql`select pg_advisory_xact_lock(hashtext('gangway bindings'), hashtext(${tenantId}))`.execute(tx)

/**
 * Finds the instances, and locks them and the asset itself until the transaction ends. Assets are locked before clients
 * and in the order of ids, as in deletions, to avoid a deadlock.
 * @throws validation_error for ids that name no instance of the tenant, and for the asset itself
 */
export async function findInstancesForUpdate(
  tx: Kysely<Tables>,
  tenantId: string,
  assetId: string,
  body: BindRequest,
): Promise<Instances> {
  const places = namedInstances(body)
  const ids = [...places.keys()]
  const assetIds = await listAssetIds(tx, tenantId, ids)
  if (assetIds.length > 0) await lockBindingsToAssets(tx, tenantId)
  const assets = await findAssets(tx, tenantId, [...assetIds, assetId], sql`for no key update`)
  const clients = await findClients(tx, tenantId, ids, sql`for share of client`)
  return checkInstances(assetId, places, [...assets, ...clients])
}

/** Finds the instances of one binding without locking them. @param path of the binding in the request */
export async function findInstances(
  db: Kysely<Tables>,
  tenantId: string,
  { assetId, binding, path }: { assetId: string; binding: EndpointBinding; path: string },
): Promise<Instances> {
  const places = new Map<string, string>()
  addRemotes(places, binding, path)
  const ids = [...places.keys()]
  const found = [...(await findAssets(db, tenantId, ids)), ...(await findClients(db, tenantId, ids))]
  return checkInstances(assetId, places, found)
}

/** @param places the path of each id in the request @throws validation_error */
function checkInstances(assetId: string, places: Map<string, string>, rows: Instance[]): Instances {
  const instances = new Map(rows.map((one) => [one.id, one]))
  if (!places.has(assetId)) instances.delete(assetId)
  const issues = [...places].flatMap(([id, path]): Issue[] => {
    const found = instances.get(id)
    if (!found) return [{ path, message: `there is no provider client and no asset ${id}` }]
    const isItself = found.type === 'asset' && id === assetId
    return isItself ? [{ path, message: `names ${id}, which is the asset itself` }] : []
  })
  if (issues.length > 0) throw validationError(...issues.slice(0, MAX_ISSUES))
  return instances
}

/** Maps each instance id to the path where the request names it first. */
function namedInstances(body: BindRequest): Map<string, string> {
  const places = new Map<string, string>()
  for (const [i, binding] of (body.endpointBindings ?? []).entries())
    addRemotes(places, binding, `endpointBindings.${i}`)
  for (const [i, { instances }] of (body.bindingDescriptions ?? []).entries())
    for (const [j, { instanceId }] of instances.entries())
      addPlace(places, instanceId, `bindingDescriptions.${i}.instances.${j}.instanceId`)
  for (const [i, id] of (body.autobindRemoteInstanceIds ?? []).entries())
    addPlace(places, id, `autobindRemoteInstanceIds.${i}`)
  return places
}

function addRemotes(places: Map<string, string>, binding: EndpointBinding, path: string): void {
  for (const [index, { endpointId }] of binding.remoteEndpointIds.entries()) {
    const place = `${path}.remoteEndpointIds.${index}.endpointId`
    const endpoint = parseEndpointId(endpointId)
    if (!endpoint) throw validationError({ path: place, message: `must be ${endpointHint}` })
    addPlace(places, endpoint.instanceId, place)
  }
}

function addPlace(places: Map<string, string>, id: string, path: string): void {
  if (!places.has(id)) places.set(id, path)
}

const withoutLock = sql``

async function findClients(
  db: Kysely<Tables>,
  tenantId: string,
  ids: string[],
  lock: RawBuilder<unknown> = withoutLock,
): Promise<Instance[]> {
  const { rows } = await sql<{ id: string; providerType: ProviderType }>`
    select client.id, provider.type as "providerType"
    from provider_clients client
    join providers provider on provider.tenant_id = client.tenant_id and provider.id = client.provider_id
    where client.tenant_id = ${tenantId} and client.id = any(${ids}::text[])
    order by client.id ${lock}`.execute(db)
  return rows.map((row) => ({ type: 'client', ...row }))
}

async function findAssets(
  db: Kysely<Tables>,
  tenantId: string,
  ids: string[],
  lock: RawBuilder<unknown> = withoutLock,
): Promise<Instance[]> {
  const { rows } = await sql<{ id: string; modelId: string }>`
    select id, model_id as "modelId" from assets where tenant_id = ${tenantId} and id = any(${ids}::text[])
    order by id ${lock}`.execute(db)
  return rows.map((row) => ({ type: 'asset', ...row }))
}

async function listAssetIds(tx: Kysely<Tables>, tenantId: string, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from assets where tenant_id = ${tenantId} and id = any(${ids}::text[])`.execute(tx)
  return rows.map(({ id }) => id)
}
