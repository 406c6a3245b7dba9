import type { Context } from '../context.ts'
import type { Route } from '../http/route.ts'
import { bootstrapKeyRoutes } from './bootstrap-keys/routes.ts'
import { revocationListRoutes } from './certificates/crl/routes.ts'
import { certificateListRoutes } from './certificates/list/routes.ts'
import { revocationRoutes } from './certificates/revocation/routes.ts'
import { certificateAuthorityRoutes } from './certificates/authorities/routes.ts'
import { estRoutes } from './certificates/est/routes.ts'
import { certificateSettingsRoutes } from './certificates/settings/routes.ts'
import { deviceRoutes } from './devices/routes.ts'
import { previewRoutes } from './enrollment-groups/preview.ts'
import { enrollmentGroupRoutes } from './enrollment-groups/routes.ts'
import { createSecretOpener } from './open-secrets.ts'
import { createProviderApis } from './provider-api/create-provider-apis.ts'
import { providerEventRoutes } from './provider-events/routes.ts'
import { provisionRoutes } from './provision/routes.ts'
import { routingTargetRoutes } from './routing-targets/routes.ts'
import { settingsRoutes } from './settings/routes.ts'
import { traceRoutes } from './trace/routes.ts'

/** Routes of the onboarding service, in the order of use. */
export function onboardingRoutes(ctx: Context): Route[] {
  const getProviderApi = createProviderApis(ctx, createSecretOpener(ctx.sealer))
  return [
    ...routingTargetRoutes(ctx),
    ...enrollmentGroupRoutes(ctx),
    ...previewRoutes(ctx),
    ...bootstrapKeyRoutes(ctx),
    ...deviceRoutes(ctx, getProviderApi),
    ...certificateAuthorityRoutes(ctx),
    ...certificateSettingsRoutes(ctx),
    ...estRoutes(ctx),
    ...settingsRoutes(ctx),
    ...provisionRoutes(ctx, getProviderApi),
    ...providerEventRoutes(ctx),
    ...certificateListRoutes(ctx),
    ...revocationRoutes(ctx),
    ...revocationListRoutes(ctx),
    ...traceRoutes(ctx),
  ]
}
