import { type CodeExample, example } from '../../../parts/code/example.ts'

/** Code examples for the requests of the page of keys. */
export function listKeyRequests(groupId: string): CodeExample[] {
  const path = { id: groupId }
  return [
    example('get', '/api/enrollment-groups/{id}/keys', { path }),
    example('post', '/api/enrollment-groups/{id}/keys/generate', { path }),
    example('get', '/api/enrollment-groups/{id}/keys/readiness', {
      path,
      query: { list: 'not_ready', limit: 100 },
    }),
    example('post', '/api/enrollment-groups/{id}/keys/flip', { path, query: { if_ready: true } }),
    example('post', '/api/enrollment-groups/{id}/keys/derive', {
      path,
      body: { device_ids: ['device-0001'] },
    }),
  ]
}
