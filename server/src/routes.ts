/** Every route of the server, in one list. */
import { apiTokenRoutes } from './access/api-tokens/routes.ts'
import { oidcRoutes } from './access/oidc/routes.ts'
import { signInRoutes } from './access/sign-in/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import type { Context } from './context.ts'
import { describeApi } from './http/openapi.ts'
import type { Route } from './http/route.ts'
import { ingestRoutes } from './ingest/routes.ts'
import { onboardingRoutes } from './onboarding/routes.ts'
import { tenantRoutes } from './organizations/tenants/routes.ts'
import { providerRoutes } from './providers/routes.ts'
import { systemRoutes } from './system/routes.ts'
import { timeseriesRoutes } from './timeseries/routes.ts'
import { version } from './version.ts'

export function apiRoutes(ctx: Context): Route[] {
  const routes: Route[] = [
    ...signInRoutes(ctx),
    ...oidcRoutes(ctx),
    ...apiTokenRoutes(ctx),
    ...tenantRoutes(ctx),
    ...auditRoutes(ctx),
    ...providerRoutes(ctx),
    ...onboardingRoutes(ctx),
    ...ingestRoutes(ctx),
    ...timeseriesRoutes(ctx),
    ...systemRoutes(ctx, () => description),
  ]
  const description = describeApi(routes, version)
  return routes
}
