/** Creates the provider clients and assets of a simulation, with the rights of the user who started it. */
import { type Kysely, sql } from 'kysely'
import { bindAsset } from '../assets/bindings/bind.ts'
import { formatEndpointId, type LocalEndpoint } from '../assets/endpoints.ts'
import { toLocalEndpoint, findModelParts } from '../assets/models/model-endpoints.ts'
import { createAsset } from '../assets/records/create-asset.ts'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { ApiError } from '../http/errors.ts'
import { inLanes } from '../lib/in-lanes.ts'
import { createClient } from '../providers/clients/create-client.ts'
import { listDeviceIds } from './device-ids.ts'
import type { SimulationRow } from '../database/tables/simulations.ts'

const LANES = 4

/**
 * Uses clients and assets that exist already, so that a repeated call continues.
 * @throws forbidden, not_found, provider_rejected; conflict if an asset that the simulation did not create has the id of a device
 */
export async function makeDevices(
  ctx: Context,
  caller: Caller,
  row: SimulationRow,
  signal: AbortSignal,
): Promise<void> {
  const work = await findMissing(ctx.db, row)
  const boundEndpoints = await listBoundEndpoints(ctx.db, row)
  await inLanes(work, { lanes: LANES, mayBegin: () => !signal.aborted }, (missing) =>
    makeDevice(ctx, caller, { row, missing, bound: boundEndpoints }),
  )
}

interface Missing {
  id: string
  client: boolean
  asset: boolean
}

async function findMissing(db: Kysely<Tables>, row: SimulationRow): Promise<Missing[]> {
  const ids = listDeviceIds(row)
  const clients = new Set((await listClientIds(db, row.tenant_id, row.provider_id, ids)).map(({ id }) => id))
  const assets = new Set((await listAssetIds(db, row.tenant_id, ids)).map(({ id }) => id))
  const made = await recordDevices(
    db,
    row,
    ids.map((id) => ({ id, client: !clients.has(id), asset: !assets.has(id) })),
  )
  if (row.model_id !== null) {
    const foreign = ids.find((id) => assets.has(id) && !made.has(id))
    if (foreign)
      throw new ApiError('conflict', `There is an asset ${foreign} already. Use another deviceIdPrefix.`)
  }
  return ids
    .map((id) => ({ id, client: !clients.has(id), asset: row.model_id !== null && !assets.has(id) }))
    .filter(({ client, asset }) => client || asset)
}

const listClientIds = (db: Kysely<Tables>, tenantId: string, providerId: string, ids: string[]) =>
  db
    .selectFrom('provider_clients')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('provider_id', '=', providerId)
    .where('id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .execute()

const listAssetIds = (db: Kysely<Tables>, tenantId: string, ids: string[]) =>
  db
    .selectFrom('assets')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .execute()

/** Runs before anything is created, so that a crash leaves nothing unrecorded. @returns the ids whose asset the simulation created */
async function recordDevices(
  db: Kysely<Tables>,
  row: SimulationRow,
  missing: Missing[],
): Promise<Set<string>> {
  const noted = await db
    .insertInto('simulation_devices')
    .values(
      missing.map(({ id, client, asset }) => ({
        simulation_id: row.id,
        client_id: id,
        made_client: client,
        made_asset: asset && row.model_id !== null,
      })),
    )
    .onConflict((oc) =>
      oc.columns(['simulation_id', 'client_id']).doUpdateSet({
        made_client: sql<boolean>`simulation_devices.made_client or excluded.made_client`,
        made_asset: sql<boolean>`simulation_devices.made_asset or excluded.made_asset`,
      }),
    )
    .returning(['client_id', 'made_asset'])
    .execute()
  return new Set(noted.filter(({ made_asset }) => made_asset).map(({ client_id }) => client_id))
}

/** The endpoints of each asset that are bound: its signals, its commands and its writable properties. */
async function listBoundEndpoints(db: Kysely<Tables>, row: SimulationRow): Promise<LocalEndpoint[]> {
  if (row.model_id === null) return []
  const { endpoints } = await findModelParts(db, row.tenant_id, row.model_id)
  const outgoing = [...endpoints.values()].filter(
    (content) => content.kind === 'command' || (content.kind === 'property' && content.writable),
  )
  const signals = row.signals.map(({ name, component = '' }) => ({
    componentId: component,
    kind: 'telemetry' as const,
    name,
  }))
  return [...signals, ...outgoing.map(toLocalEndpoint)]
}

async function makeDevice(
  ctx: Context,
  caller: Caller,
  { row, missing, bound }: { row: SimulationRow; missing: Missing; bound: LocalEndpoint[] },
): Promise<void> {
  const { id } = missing
  const fields = { id, displayName: makeDisplayName(row, id), organizationId: row.organization_id }
  if (missing.client && !(await createClient(ctx, caller, row.provider_id, fields)))
    await recordForeignClient(ctx.db, row.id, id)
  if (row.model_id === null) return
  const endpoints = bound.map((each) => makeBinding(id, each))
  if (missing.asset)
    await createAsset(ctx, caller, { ...fields, modelId: row.model_id, contentBindings: endpoints })
  // The bindings were deleted with the earlier client.
  else await bindAsset(ctx, caller, id, { endpointBindings: endpoints.map(({ remote }) => remote) })
}

/** The client was created by someone else meanwhile. */
const recordForeignClient = (db: Kysely<Tables>, simulationId: string, id: string) =>
  db
    .updateTable('simulation_devices')
    .set({ made_client: false })
    .where('simulation_id', '=', simulationId)
    .where('client_id', '=', id)
    .execute()

const makeDisplayName = (row: SimulationRow, id: string) =>
  `${row.display_name.slice(0, 200)} ${id.slice(row.device_id_prefix.length)}`

/** Binds an endpoint of the asset to the device's endpoint of the same name. Asset and device have the same id. */
function makeBinding(instanceId: string, local: LocalEndpoint) {
  const endpointId = formatEndpointId({ instanceId, ...local })
  const remote = { localEndpointId: endpointId, remoteEndpointIds: [{ name: 'value', endpointId }] }
  return { endpointId, instanceId, remote }
}
