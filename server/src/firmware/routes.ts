import type { Context } from '../context.ts'
import type { Route } from '../http/route.ts'
import { deploymentTemplateRoutes } from './deployment-templates/routes.ts'
import { deploymentRoutes } from './deployments/routes.ts'
import { firmwareFileRoutes } from './files/routes.ts'
import { releaseRoutes } from './releases/routes.ts'
import { updateRoutes } from './updates/routes.ts'

export const firmwareRoutes = (ctx: Context): Route[] => [
  ...firmwareFileRoutes(ctx),
  ...releaseRoutes(ctx),
  ...deploymentTemplateRoutes(ctx),
  ...deploymentRoutes(ctx),
  ...updateRoutes(ctx),
]
