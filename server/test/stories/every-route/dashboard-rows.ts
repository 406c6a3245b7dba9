import { type Ids, list, object, ofTenant, type Row, seen } from './row.ts'

export function dashboardRows(ids: Ids, here: object): Record<string, Row> {
  const at = { dashboardId: ids.dashboard! }
  const first = { ...at, version: '1' }
  return {
    'GET /v1/dashboards': list(),
    'POST /v1/dashboards': object(201, { body: here }),
    'GET /v1/dashboards/{dashboardId}': seen(200, { at }),
    'PATCH /v1/dashboards/{dashboardId}': object(200, { at, body: { displayName: 'Renamed' } }),
    'GET /v1/dashboards/{dashboardId}/api-tokens': object(200, { at }),
    'POST /v1/dashboards/{dashboardId}/api-tokens': object(201, {
      at,
      body: { displayName: 'Screen', expiresAt: '2100-01-01T00:00:00Z' },
    }),
    'GET /v1/dashboards/{dashboardId}/versions': object(200, { at }),
    'GET /v1/dashboards/{dashboardId}/versions/{version}': object(200, { at: first }),
    'POST /v1/dashboards/{dashboardId}/versions/{version}/restore': object(200, { at: first }),
    'GET /v1/dashboards/{dashboardId}/draft': object(200, { at }),
    'PUT /v1/dashboards/{dashboardId}/draft': object(200, { at, body: { version: 1, data: {} } }),
    'GET /v1/deleted-dashboards': ofTenant(),
    'POST /v1/deleted-dashboards/{dashboardId}/restore': object(200, {
      at: { dashboardId: ids.deletedDashboard! },
    }),
  }
}
