/** Starts, stops and deletes simulations and injects faults: each request is stored and published; the node that runs the simulation follows. */
import type { Kysely } from 'kysely'
import { requirePrivilegeIn } from '../access/require.ts'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { ApiError, validationError } from '../http/errors.ts'
import { addJob } from '../jobs/add-job.ts'
import { checkSimulation } from './check-simulation.ts'
import { listDeviceIds } from './device-ids.ts'
import { type FaultRequest, type Fault, isOver } from './faults/fault.ts'
import { simulationChanged } from './leases.ts'
import { simulationFields } from './schema.ts'
import type { Simulations } from './simulations.ts'
import { nextState } from './states.ts'
import type { SimulationRow } from '../database/tables/simulations.ts'
import { getSimulation, getSimulationForUpdate, updateSimulation } from './store.ts'

export const resourceType = 'simulation'
/** A job. Its payload is a `DeletedSimulation`. */
export const DELETE_SIMULATION = 'delete-simulation'
export interface DeletedSimulation {
  id: string
  caller: Caller
}

export const MAX_FAULTS = 50

/** Access is decided by the organization: simulations are not a resource type. [docs/simulations] @throws forbidden, not_found */
export async function getOwnSimulation(ctx: Context, caller: Caller, id: string): Promise<SimulationRow> {
  const row = await getSimulation(ctx.db, caller.tenantId, id)
  await requirePrivilegeIn(ctx, caller, 'provider_client_management', row.organization_id)
  return row
}

/** Changes the simulation in one transaction and notifies the node that runs it. @throws forbidden, not_found */
async function changeSimulation<T>(
  ctx: Context,
  caller: Caller,
  id: string,
  change: (tx: Kysely<Tables>, row: SimulationRow) => Promise<T>,
): Promise<T> {
  await getOwnSimulation(ctx, caller, id)
  return ctx.db.transaction().execute(async (tx) => {
    const answer = await change(tx, await getSimulationForUpdate(tx, caller.tenantId, id))
    await simulationChanged.publish(ctx, tx, { id })
    return answer
  })
}

/** @throws conflict if the simulation is not stopped or this node has no room; the errors of `checkSimulation` */
export async function startSimulation(
  ctx: Context & { simulations: Simulations },
  caller: Caller,
  id: string,
): Promise<SimulationRow> {
  const row = await getOwnSimulation(ctx, caller, id)
  nextState('start', row.state)
  const { organizationId, providerId, modelId, signals } = simulationFields(row)
  await checkSimulation(ctx, caller, { organizationId, providerId, modelId, signals })
  if (row.device_count > ctx.simulations.freeDevices())
    throw new ApiError(
      'conflict',
      'This server has no room for so many devices. Stop another simulation first.',
      {
        room: ctx.simulations.freeDevices(),
      },
    )
  return changeSimulation(ctx, caller, id, async (tx, found) => {
    const state = nextState('start', found.state)
    const started = await updateSimulation(tx, caller.tenantId, id, {
      state,
      started_by: caller,
      faults: [],
    })
    await recordState(tx, caller, 'start', { before: found, after: started })
    return started
  })
}

/** @throws conflict if the simulation is stopped */
export const stopSimulation = (ctx: Context, caller: Caller, id: string): Promise<SimulationRow> =>
  changeSimulation(ctx, caller, id, async (tx, found) => {
    const state = nextState('stop', found.state)
    const stopped = await updateSimulation(tx, caller.tenantId, id, { state })
    if (state !== found.state) await recordState(tx, caller, 'stop', { before: found, after: stopped })
    return stopped
  })

/** The entry has the name, since readers of the audit log know the simulation by it, also after its deletion. */
function recordState(
  tx: Kysely<Tables>,
  caller: Caller,
  action: 'start' | 'stop',
  { before, after }: { before: SimulationRow; after: SimulationRow },
): Promise<void> {
  const shape = ({ display_name: displayName, state }: SimulationRow) => ({ displayName, state })
  return recordAudit(tx, caller, {
    action,
    resourceType,
    resourceId: before.id,
    before: shape(before),
    after: shape(after),
  })
}

/** Stops the simulation; a job deletes what it created. @throws forbidden also if it created assets that the caller may not delete */
export async function removeSimulation(ctx: Context, caller: Caller, id: string): Promise<void> {
  const { model_id, organization_id } = await getOwnSimulation(ctx, caller, id)
  if (model_id !== null) await requirePrivilegeIn(ctx, caller, 'asset_management', organization_id)
  await changeSimulation(ctx, caller, id, async (tx, found) => {
    await updateSimulation(tx, caller.tenantId, id, { state: 'deleting' })
    await addJob(tx, DELETE_SIMULATION, { id, caller } satisfies DeletedSimulation, {
      key: `simulation ${id}`,
    })
    await recordAudit(tx, caller, {
      action: 'delete',
      resourceType,
      resourceId: id,
      before: simulationFields(found),
    })
  })
}

/** @throws conflict if the simulation does not run; validation_error for devices that are not its own */
export const addFault = (ctx: Context, caller: Caller, id: string, asked: FaultRequest): Promise<Fault> =>
  changeSimulation(ctx, caller, id, async (tx, row) => {
    if (row.state !== 'running')
      throw new ApiError('conflict', `The simulation is ${row.state}. Start it first.`)
    const fault = makeFault(asked, listDeviceIds(row))
    const faults = [...row.faults.filter((each) => !isOver(each)), fault]
    if (faults.length > MAX_FAULTS)
      throw new ApiError('conflict', `There are ${MAX_FAULTS} faults already. Wait until one is over.`)
    await updateSimulation(tx, caller.tenantId, id, { faults })
    const name = { displayName: row.display_name }
    await recordAudit(tx, caller, {
      action: 'fault',
      resourceType,
      resourceId: id,
      before: name,
      after: { ...name, ...fault },
    })
    return fault
  })

function makeFault(
  { kind, deviceIds, deviceCount, durationSeconds, factor = 10 }: FaultRequest,
  ownIds: string[],
): Fault {
  if ((deviceIds === undefined) === (deviceCount === undefined))
    throw validationError({ path: 'deviceIds', message: 'give either deviceIds or deviceCount' })
  const unknown = (deviceIds ?? []).flatMap((id, index) =>
    ownIds.includes(id)
      ? []
      : [{ path: `deviceIds.${index}`, message: `${id} is no device of this simulation` }],
  )
  if (unknown.length > 0) throw validationError(...unknown.slice(0, 20))
  if (deviceCount !== undefined && deviceCount > ownIds.length)
    throw validationError({ path: 'deviceCount', message: `the simulation has ${ownIds.length} devices` })
  const now = Date.now()
  return {
    kind,
    deviceIds: deviceIds ?? pickRandom(ownIds, deviceCount!),
    ...(kind === 'spikes' && { factor }),
    since: new Date(now).toISOString(),
    until: new Date(now + durationSeconds * 1000).toISOString(),
  }
}

function pickRandom(ids: string[], count: number): string[] {
  const left = [...ids]
  return Array.from({ length: count }, () => left.splice(Math.floor(Math.random() * left.length), 1)[0]!)
}
