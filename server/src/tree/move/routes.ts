import type { Context } from '../../context.ts'
import { createGate } from '../../database/fair-gate.ts'
import { user } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { moveInTree } from './move.ts'
import { Move, Moved } from './schema.ts'

export function moveRoutes(ctx: Context): Route[] {
  // A dry run lists twice who may do what, on a connection that others need as well.
  const dryRuns = createGate({ max: 4, maxPerTenant: 1 })
  return [
    route({
      method: 'POST',
      url: '/v1/tree/move',
      operationId: 'moveInTree',
      summary: 'Move a node or asset to another place; a dry run says who would gain and lose access',
      access: user(),
      body: Move,
      response: { 200: Moved },
      handler: async ({ body, caller }) => {
        const leave = body.dryRun ? await dryRuns.enter(caller.tenantId) : undefined
        try {
          return await moveInTree(ctx.db, caller, body)
        } finally {
          leave?.()
        }
      },
    }),
  ]
}
