import type { Context } from '../../context.ts'
import { user } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import type { Parts } from '../../parts.ts'
import { readOverview } from './read-overview.ts'
import { OverviewRecord } from './schema.ts'
import { createTenantCounts } from './tenant-counts.ts'

export function overviewRoutes(ctx: Context & Pick<Parts, 'stream'>): Route[] {
  const getCounts = createTenantCounts(ctx)
  return [
    route({
      method: 'GET',
      url: '/v1/overview',
      operationId: 'getOverview',
      summary: 'Count what needs attention, as far as the caller may view it',
      access: user(),
      response: { 200: OverviewRecord },
      handler: ({ caller }) => readOverview(ctx, caller, getCounts),
    }),
  ]
}
