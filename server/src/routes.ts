/** Every route of the server, in one list. */
import { apiTokenRoutes } from './access/api-tokens/routes.ts'
import { permissionRoutes } from './access/decisions/permissions-routes.ts'
import { privilegeRoutes } from './access/decisions/privileges-routes.ts'
import { relationRoutes } from './access/relations/routes.ts'
import { oidcRoutes } from './access/oidc/routes.ts'
import { signInRoutes } from './access/sign-in/routes.ts'
import { migrateRoutes } from './assets/migrate/routes.ts'
import { replaceDeviceRoutes } from './assets/replace-device/routes.ts'
import { bindingRoutes } from './assets/bindings/routes.ts'
import { alarmRoutes } from './alarms/routes.ts'
import { modelRoutes } from './assets/models/routes.ts'
import { assetRoutes } from './assets/records/routes.ts'
import { commandRoutes } from './assets/commands/routes.ts'
import { assetPropertyRoutes } from './assets/properties/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import type { Context } from './context.ts'
import { dashboardDraftRoutes } from './dashboards/drafts/routes.ts'
import { dashboardRoutes } from './dashboards/routes.ts'
import { dashboardTokenRoutes } from './dashboards/tokens/routes.ts'
import { dashboardVersionRoutes } from './dashboards/versions/routes.ts'
import { firmwareRoutes } from './firmware/routes.ts'
import { describeApi } from './http/openapi.ts'
import type { Route } from './http/route.ts'
import { ingestRoutes } from './ingest/routes.ts'
import { connectionEventRoutes } from './mqtt/connection-events/routes.ts'
import { limitRoutes } from './mqtt/limits/routes.ts'
import { countNotified } from './notifications/count-notified.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { onboardingRoutes } from './onboarding/routes.ts'
import { organizationRoutes } from './organizations/routes.ts'
import type { Parts } from './parts.ts'
import { pushRoutes } from './push/routes.ts'
import { providerRoutes } from './providers/routes.ts'
import { simulationRoutes } from './simulations/routes.ts'
import { resourceRoutes } from './resources/routes.ts'
import { healthRoutes } from './system/health/routes.ts'
import { overviewRoutes } from './system/overview/routes.ts'
import { words } from './system/words.ts'
import { probeRoutes } from './system/probe-routes.ts'
import { systemRoutes } from './system/routes.ts'
import { timeseriesRoutes } from './timeseries/routes.ts'
import { measureExpiring } from './timeseries/usage/read-usage.ts'
import { usageRoutes } from './timeseries/usage/routes.ts'
import { treeRoutes } from './tree/routes.ts'
import { userRoutes } from './users/routes.ts'
import { version } from './version.ts'

export function apiRoutes(ctx: Context, { ingest, stream, commandQueue, simulations }: Parts): Route[] {
  const routes: Route[] = [
    ...signInRoutes(ctx),
    ...oidcRoutes(ctx),
    ...apiTokenRoutes(ctx),
    ...relationRoutes(ctx, countNotified),
    ...permissionRoutes(ctx),
    ...privilegeRoutes(ctx),
    ...organizationRoutes(ctx, measureExpiring),
    ...userRoutes(ctx),
    ...treeRoutes(ctx),
    ...dashboardRoutes(ctx),
    ...dashboardTokenRoutes(ctx),
    ...dashboardVersionRoutes(ctx),
    ...dashboardDraftRoutes(ctx),
    ...resourceRoutes(ctx),
    ...modelRoutes(ctx),
    ...assetRoutes(ctx),
    ...migrateRoutes(ctx),
    ...replaceDeviceRoutes({ ...ctx, commandQueue }),
    ...bindingRoutes(ctx),
    ...assetPropertyRoutes(ctx),
    ...commandRoutes({ ...ctx, commandQueue }),
    ...firmwareRoutes(ctx),
    ...auditRoutes(ctx),
    ...providerRoutes(ctx),
    ...onboardingRoutes(ctx),
    ...ingestRoutes(ctx, ingest),
    ...limitRoutes(ctx),
    ...connectionEventRoutes(ctx),
    ...timeseriesRoutes(ctx),
    ...usageRoutes(ctx),
    ...pushRoutes(ctx),
    ...notificationRoutes(ctx),
    ...alarmRoutes(ctx),
    ...simulationRoutes({ ...ctx, simulations }),
    ...overviewRoutes({ ...ctx, stream }),
    ...healthRoutes({ ...ctx, ingest, stream }),
    ...probeRoutes({ ...ctx, ingest, stream }),
    ...systemRoutes(ctx, () => (description ??= describeApi(routes, version, words))),
  ]
  // Made when somebody asks for it first.
  let description: object | undefined
  return routes
}
