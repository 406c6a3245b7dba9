import type { Selectable } from 'kysely'
import Type, { type Static } from 'typebox'
import { AuthorizationContext } from '../access/relations/authorization-context.ts'
import type { DashboardTables } from '../database/tables/dashboards.ts'
import { PlatformSearchQuery } from '../http/page.ts'
import { Description, DisplayName, FreeObject, Uuid } from '../http/shapes.ts'

export const DashboardPath = Type.Object({ dashboardId: Uuid })
export const dashboardId = (p: Record<string, string>) => p.dashboardId!

/** Room for data of the greatest size, indented, with the other fields. */
export const BODY_LIMIT = 4 * 1024 * 1024

export const CreateDashboard = Type.Object({
  displayName: DisplayName,
  description: Type.Optional(Description),
  data: Type.Optional(FreeObject),
  organizationId: Uuid,
  authorizationContext: Type.Optional(AuthorizationContext),
})
export type CreateDashboard = Static<typeof CreateDashboard>

export const ChangeDashboard = Type.Object({
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  data: Type.Optional(FreeObject),
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'The version that the change was made on; `conflict` if the dashboard has another one',
    }),
  ),
})
export type ChangeDashboard = Static<typeof ChangeDashboard>

export const DashboardRecord = Type.Object(
  {
    id: Uuid,
    displayName: Type.String(),
    description: Description,
    data: FreeObject,
    organizationId: Uuid,
    authorizationContext: AuthorizationContext,
    version: Type.Integer({ description: 'Increases with each change' }),
  },
  { title: 'Dashboard' },
)

export const ListQuery = Type.Object({
  ...PlatformSearchQuery.properties,
  modelId: Type.Optional(
    Type.String({
      maxLength: 128,
      description: 'Only dashboards with a variable for the assets of this model',
    }),
  ),
})

export type DashboardRow = Selectable<DashboardTables['dashboards']> & {
  authorization_context: AuthorizationContext
}

export const dashboardShape = (row: DashboardRow) => ({
  id: row.id,
  displayName: row.display_name,
  description: row.description,
  data: row.data,
  organizationId: row.organization_id,
  authorizationContext: row.authorization_context,
  version: row.version,
})
