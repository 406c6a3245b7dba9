import type { Context } from '../context.ts'
import type { Route } from '../http/route.ts'
import { bootstrapKeyRoutes } from './bootstrap-keys/routes.ts'
import { deviceRoutes } from './devices/routes.ts'
import { enrollmentGroupRoutes } from './enrollment-groups/routes.ts'
import { createSecretOpener } from './open-secrets.ts'
import { createProviderApis } from './provider-api/create-provider-apis.ts'
import { providerEventRoutes } from './provider-events/routes.ts'
import { provisionRoutes } from './provision/routes.ts'
import { routingTargetRoutes } from './routing-targets/routes.ts'
import { settingsRoutes } from './settings/routes.ts'

/** The onboarding service, in the order in which it is used. */
export function onboardingRoutes(ctx: Context): Route[] {
  const providerOf = createProviderApis(ctx, createSecretOpener(ctx.sealer))
  return [
    ...routingTargetRoutes(ctx),
    ...enrollmentGroupRoutes(ctx),
    ...bootstrapKeyRoutes(ctx),
    ...deviceRoutes(ctx, providerOf),
    ...settingsRoutes(ctx),
    ...provisionRoutes(ctx, providerOf),
    ...providerEventRoutes(ctx),
  ]
}
