/** The route of the usage of telemetry. [docs/telemetry#storage-used] */
import { isAllowed } from '../../access/require.ts'
import { ENVIRONMENT_ID } from '../../access/relations/store.ts'
import type { Context } from '../../context.ts'
import { type Caller, privilegeInRoot } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { describeUsage } from './describe-usage.ts'
import { forecastDisk } from './disk-forecast.ts'
import { createRecentUsage } from './recent-usage.ts'
import { TelemetryStorage } from './schema.ts'

export function usageRoutes(ctx: Context): Route[] {
  const getUsage = createRecentUsage(ctx)
  return [
    route({
      method: 'GET',
      url: '/v1/telemetry/storage',
      operationId: 'getTelemetryStorage',
      summary: 'Values and bytes of stored telemetry by tier and age, growth a day, days left on the disk',
      access: privilegeInRoot('organization_management'),
      response: { 200: TelemetryStorage },
      handler: async ({ caller }) => {
        const usage = await getUsage(caller.tenantId)
        const environment = { type: 'environment', id: ENVIRONMENT_ID } as const
        const isOperator = caller.privileges === null && (await isAllowed(ctx, caller, 'manage', environment))
        return { ...describeUsage(usage), disk: isOperator ? await readDisk(ctx, caller) : null }
      },
    }),
  ]
}

async function readDisk(ctx: Context, { tenantId }: Caller) {
  using query = ctx.queries.open(tenantId)
  return await forecastDisk(ctx, query.db, Date.now())
}
