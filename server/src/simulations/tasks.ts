import { setTimeout as sleep } from 'node:timers/promises'
import { removeAsset } from '../assets/records/remove-asset.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../http/access.ts'
import { ApiError } from '../http/errors.ts'
import type { Tasks } from '../jobs/jobs.ts'
import { removeClient } from '../providers/clients/change-client.ts'
import { DELETE_SIMULATION, type DeletedSimulation } from './ask.ts'
import { deleteSimulation, selectSimulations, type SimulationRow } from './store.ts'

const RELEASED_WITHIN_MS = 10_000

/** The room's jobs, by task name. */
export const simulationTasks = (ctx: Context): Tasks => ({
  [DELETE_SIMULATION]: (payload) => deleteWithDevices(ctx, payload as DeletedSimulation),
})

/** Done again, it goes on where it was. */
async function deleteWithDevices(ctx: Context, { id, caller }: DeletedSimulation): Promise<void> {
  const row = await untilReleased(ctx, id)
  if (!row) return
  const devices = await ctx.db
    .selectFrom('simulation_devices')
    .selectAll()
    .where('simulation_id', '=', id)
    .orderBy('client_id')
    .execute()
  for (const device of devices) {
    if (device.made_asset) await mayBeGone(removeAsset(ctx, caller, device.client_id))
    if (device.made_client)
      await mayBeGone(removeClient(ctx, caller, clientRefOf(caller, row, device.client_id)))
  }
  await deleteSimulation(ctx.db, row.tenant_id, id)
}

/** The process that runs it has heard that it is over; until then it might still make devices. */
async function untilReleased({ db }: Context, id: string): Promise<SimulationRow | undefined> {
  for (const until = Date.now() + RELEASED_WITHIN_MS; ; await sleep(100)) {
    const row = await selectSimulations(db).where('s.id', '=', id).executeTakeFirst()
    if (!row || row.lease_until === null || row.lease_until < new Date()) return row
    if (Date.now() > until) throw new Error(`simulation ${id} is still running`)
  }
}

const clientRefOf = ({ tenantId }: Caller, { provider_id }: SimulationRow, clientId: string) => ({
  tenantId,
  providerId: provider_id,
  clientId,
})

/** Somebody may have deleted it by hand. */
async function mayBeGone(deletion: Promise<void>): Promise<void> {
  await deletion.catch((error: unknown) => {
    if (!(error instanceof ApiError && error.code === 'not_found')) throw error
  })
}
