import { type Ids, object, type Row } from './row.ts'

export function simulationRows(ids: Ids): Record<string, Row> {
  const at = { simulationId: ids.simulation! }
  const body = {
    displayName: 'New',
    organizationId: ids.organization,
    providerId: 'mqtt',
    count: 1,
    intervalSeconds: 60,
    signals: [{ name: 'level', generator: 'constant', value: 1 }],
  }
  const fault = { kind: 'silence', deviceCount: 1, durationSeconds: 1 }
  return {
    'POST /v1/simulations': object(201, { at: {}, body }),
    'GET /v1/simulations': object(200, { at: {}, otherTenant: 'nothing' }),
    'GET /v1/simulations/{simulationId}': object(200, { at }),
    'PATCH /v1/simulations/{simulationId}': object(200, { at, body: { displayName: 'Renamed' } }),
    'POST /v1/simulations/{simulationId}/start': object(202, { at }),
    // No node runs it here.
    'POST /v1/simulations/{simulationId}/faults': object(409, { at, body: fault }),
    'POST /v1/simulations/{simulationId}/stop': object(202, { at }),
    'DELETE /v1/simulations/{simulationId}': object(204, { at }),
  }
}
