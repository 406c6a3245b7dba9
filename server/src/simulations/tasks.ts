import { setTimeout as sleep } from 'node:timers/promises'
import { removeAssets } from '../assets/records/remove-asset.ts'
import type { Context } from '../context.ts'
import type { Tasks } from '../jobs/jobs.ts'
import { removeLocalClients } from '../providers/clients/remove-client.ts'
import { DELETE_SIMULATION, type DeletedSimulation } from './control-simulation.ts'
import type { SimulationRow } from '../database/tables/simulations.ts'
import { deleteSimulation, selectSimulations } from './store.ts'

const RELEASE_TIMEOUT_MS = 10_000
/** Devices per transaction, so that locks are held briefly. */
const BATCH = 100

/** Jobs by task name. */
export const simulationTasks = (ctx: Context): Tasks => ({
  [DELETE_SIMULATION]: (payload) => deleteWithDevices(ctx, payload as DeletedSimulation),
})

/** A repeated run continues where the last one stopped. */
async function deleteWithDevices(ctx: Context, { id, caller }: DeletedSimulation): Promise<void> {
  const row = await waitUntilReleased(ctx, id)
  if (!row) return
  const devices = await ctx.db
    .selectFrom('simulation_devices')
    .selectAll()
    .where('simulation_id', '=', id)
    .orderBy('client_id')
    .execute()
  const provider = { tenantId: row.tenant_id, providerId: row.provider_id }
  while (devices.length > 0) {
    // Some of them may have been deleted by a user.
    const batch = devices.splice(0, BATCH)
    await removeAssets(ctx, caller, clientIds(batch.filter(({ made_asset }) => made_asset)))
    await removeLocalClients(ctx, caller, provider, clientIds(batch.filter(({ made_client }) => made_client)))
  }
  await deleteSimulation(ctx.db, row.tenant_id, id)
}

/** Waits until no node holds the lease: until then devices may still be created. */
async function waitUntilReleased({ db }: Context, id: string): Promise<SimulationRow | undefined> {
  for (const until = Date.now() + RELEASE_TIMEOUT_MS; ; await sleep(100)) {
    const row = await selectSimulations(db).where('s.id', '=', id).executeTakeFirst()
    if (!row || row.lease_until === null || row.lease_until < new Date()) return row
    if (Date.now() > until) throw new Error(`simulation ${id} is still running`)
  }
}

const clientIds = (devices: { client_id: string }[]) => devices.map(({ client_id }) => client_id)
