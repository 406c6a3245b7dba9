import { setTimeout as sleep } from 'node:timers/promises'
import { removeAssets } from '../assets/records/remove-asset.ts'
import type { Context } from '../context.ts'
import type { Tasks } from '../jobs/jobs.ts'
import { removeLocalClients } from '../providers/clients/remove-client.ts'
import { DELETE_SIMULATION, type DeletedSimulation } from './ask.ts'
import type { SimulationRow } from '../database/tables/simulations.ts'
import { deleteSimulation, selectSimulations } from './store.ts'

const RELEASED_WITHIN_MS = 10_000
/** Deleted in one transaction, of which the locks are held for a moment. */
const BATCH = 100

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
  const provider = { tenantId: row.tenant_id, providerId: row.provider_id }
  while (devices.length > 0) {
    // Somebody may have deleted some of them by hand.
    const batch = devices.splice(0, BATCH)
    await removeAssets(ctx, caller, clientIds(batch.filter(({ made_asset }) => made_asset)))
    await removeLocalClients(ctx, caller, provider, clientIds(batch.filter(({ made_client }) => made_client)))
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

const clientIds = (devices: { client_id: string }[]) => devices.map(({ client_id }) => client_id)
