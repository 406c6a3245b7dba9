import { type Kysely, sql } from 'kysely'
import { pageAfter } from '../database/page.ts'
import { contains } from '../database/search.ts'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { ApiError, orNotFound } from '../http/errors.ts'
import type { PageRequest } from '../http/page.ts'
import { newId } from '../lib/ids.ts'
import type { Fault } from './faults/fault.ts'
import type { CreateSimulation } from './schema.ts'
import type { SimulationRow, SimulationState } from '../database/tables/simulations.ts'

export const selectSimulations = (db: Kysely<Tables>) =>
  db
    .selectFrom('simulations as s')
    .selectAll('s')
    .select(
      sql<string>`(select count(*) from simulation_devices d join provider_clients c
        on c.tenant_id = s.tenant_id and c.provider_id = s.provider_id and c.id = d.client_id
        where d.simulation_id = s.id)`.as('devices'),
    )

/** Hides simulations that are being deleted. */
const selectPresent = (db: Kysely<Tables>, tenantId: string) =>
  selectSimulations(db).where('s.tenant_id', '=', tenantId).where('s.state', '<>', 'deleting')

/** @throws not_found */
export async function getSimulation(db: Kysely<Tables>, tenantId: string, id: string) {
  return orNotFound(
    await selectPresent(db, tenantId).where('s.id', '=', id).executeTakeFirst(),
    'simulation',
    id,
  )
}

/** Locks the row until the transaction ends. @throws not_found */
export async function getSimulationForUpdate(tx: Kysely<Tables>, tenantId: string, id: string) {
  return orNotFound(
    await selectPresent(tx, tenantId).where('s.id', '=', id).forUpdate('s').executeTakeFirst(),
    'simulation',
    id,
  )
}

/** Returns one row more than the page's limit if there are more. */
export const listSimulations = (
  db: Kysely<Tables>,
  tenantId: string,
  { organizationIds, search, page }: { organizationIds: string[]; search?: string; page: PageRequest },
): Promise<SimulationRow[]> =>
  pageAfter(
    selectPresent(db, tenantId)
      .where(sql<boolean>`s.organization_id = any(${organizationIds}::uuid[])`)
      .where(contains(search, ['s.display_name'])),
    's.id',
    page,
  )

/** @param tx a transaction; the organization must belong to the tenant @throws conflict if the prefix is taken */
export async function insertSimulation(
  tx: Kysely<Tables>,
  tenantId: string,
  body: CreateSimulation,
): Promise<SimulationRow> {
  const id = newId()
  // The last characters of an id are random.
  const prefix = body.deviceIdPrefix ?? `sim-${id.slice(-12)}-`
  const inserted = await tx
    .insertInto('simulations')
    .values({
      id,
      tenant_id: tenantId,
      organization_id: body.organizationId,
      display_name: body.displayName,
      description: body.description ?? null,
      provider_id: body.providerId,
      model_id: body.modelId ?? null,
      device_count: body.count,
      device_id_prefix: prefix,
      interval_seconds: body.intervalSeconds,
      signals: JSON.stringify(body.signals),
      methods: JSON.stringify(body.methods ?? []),
      firmware: body.firmware ? JSON.stringify(body.firmware) : null,
    })
    .onConflict((oc) => oc.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted) return getSimulation(tx, tenantId, id)
  throw new ApiError(
    'conflict',
    `Another simulation has devices that begin with ${prefix}. Use another deviceIdPrefix.`,
  )
}

export interface SimulationChanges {
  display_name?: string
  description?: string | null
  state?: SimulationState
  started_by?: Caller
  faults?: Fault[]
}

/** Fields that are undefined stay unchanged. @returns the changed row, also while the simulation is being deleted */
export async function updateSimulation(
  tx: Kysely<Tables>,
  tenantId: string,
  id: string,
  { faults, started_by, ...changes }: SimulationChanges,
): Promise<SimulationRow> {
  await tx
    .updateTable('simulations')
    .set({
      ...changes,
      ...(faults && { faults: JSON.stringify(faults) }),
      // A start resets the counters.
      ...(started_by && {
        started_by: JSON.stringify(started_by),
        started_at: null,
        connected: 0,
        sent: 0,
        acknowledged: 0,
        errors: 0,
        last_error: null,
      }),
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
  return selectSimulations(tx).where('s.id', '=', id).executeTakeFirstOrThrow()
}

export const deleteSimulation = (db: Kysely<Tables>, tenantId: string, id: string) =>
  db.deleteFrom('simulations').where('tenant_id', '=', tenantId).where('id', '=', id).execute()

/** Lists the simulations with a signal from this resource. */
export const listSimulationsReading = async (
  db: Kysely<Tables>,
  tenantId: string,
  resourceId: string,
): Promise<string[]> => {
  const rows = await db
    .selectFrom('simulations')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('state', '<>', 'deleting')
    .where(sql<boolean>`signals @> ${JSON.stringify([{ resourceId }])}::jsonb`)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}
