import type { Selectable } from 'kysely'
import Type, { type Static } from 'typebox'
import { AuthorizationContext } from '../access/relations/authorization-context.ts'
import type { DashboardTables } from '../database/tables/dashboards.ts'
import { Description, DisplayName, FreeObject, Uuid } from '../http/shapes.ts'

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
  },
  { title: 'Dashboard' },
)

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
})
