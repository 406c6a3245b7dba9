/** Inserts the updates of all clients in one statement, so that a deployment to a large fleet is created quickly. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { DeploymentPlan, Rollout, UpdateLog } from '../../database/tables/firmware.ts'
import { newId } from '../../lib/ids.ts'

/**
 * The order is pseudo-random and fixed per deployment. Each wave extends to the next N percent of it, with at least one
 * client. Clients without an asset of a starting model are rejected.
 */
export async function planUpdates(
  tx: Kysely<Tables>,
  deployment: { id: string; tenantId: string },
  {
    plan: { startingModelIds },
    rollout: { waves },
    deviceIds,
  }: { plan: DeploymentPlan; rollout: Rollout; deviceIds: string[] },
): Promise<void> {
  const unsuitedLog: UpdateLog = {
    timestamp: new Date().toISOString(),
    level: 'Error',
    message: `No asset bound to this client has one of the release's starting models: ${startingModelIds.join(', ')}.`,
    step: 0,
  }
  await sql`
    insert into firmware_updates (id, tenant_id, deployment_id, client_number, kind, place, wave, state, logs, ended_at)
    select placed.update_id, ${deployment.tenantId}, ${deployment.id}, placed.number, 'update',
      case when suited then place else 0 end,
      case when suited then
        (select 1 + count(*) from unnest(${waves}::float8[]) as wave (percent)
          where place > ceil(placed.total * wave.percent / 100))
        else 0 end,
      case when suited then 'Ready' else 'Rejected' end,
      case when suited then '[]'::jsonb else ${JSON.stringify([unsuitedLog])}::jsonb end,
      case when suited then null else now() end
    from (
      select *, row_number() over (partition by suited order by md5(${deployment.id}::text || number)) as place,
        count(*) filter (where suited) over () as total
      from (
        select asked.update_id, c.number, ${hasStartingModel(startingModelIds)} as suited
        from unnest(${deviceIds.map(newId)}::uuid[], ${deviceIds}::text[]) as asked (update_id, id)
        join provider_clients c on c.tenant_id = ${deployment.tenantId} and c.id = asked.id
      ) as client
    ) as placed`.execute(tx)
}

/** A condition for the client `c`: an asset of one of the models has bound it. @param modelIds empty: any client */
export const hasStartingModel = (modelIds: string[]) =>
  modelIds.length === 0
    ? sql`true`
    : sql`exists (
        select from asset_binding_remotes r join assets a on a.number = r.asset_number
        where r.tenant_id = c.tenant_id and r.instance_type = 'client' and r.instance_id = c.id
          and a.model_id = any(${modelIds}::text[]))`
