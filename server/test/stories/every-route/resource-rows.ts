import { type Ids, row, object, list, type Row } from './row.ts'

export function resourceRows(ids: Ids): Record<string, Row> {
  const at = { resourceId: ids.resource! }
  const form = () => {
    const body = new FormData()
    body.append('file', new Blob(['text']), 'a.txt')
    body.append('organizationId', ids.organization!)
    return body
  }
  return {
    'GET /v1/resources': list(),
    'POST /v1/resources': object(201, {
      body: { displayName: 'New', document: {}, organizationId: ids.organization },
    }),
    'GET /v1/resources/tags': list(),
    'GET /v1/resources/{resourceId}': object(200, { at }),
    'PATCH /v1/resources/{resourceId}': object(200, { at, body: { displayName: 'Renamed' } }),
    'PUT /v1/resources/{resourceId}/tags': object(200, { at, body: { type: 'json' } }),
    'GET /v1/resources/{resourceId}/references': object(200, { at }),
    'GET /v1/resources/download/{resourceId}': object(200, { at }),
    'POST /v1/resources/upload': object(201, { body: form }),
    // What it is, is found out after access; this one is a document.
    'PUT /v1/resources/upload/{resourceId}': object(409, { at, body: form }),
    'GET /v1/themes/current': row('nothing', 'nothing', 200, {}),
  }
}
