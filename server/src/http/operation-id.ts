/** Names a route in the OpenAPI description; generated clients name their functions after it. */
import type { Route } from './route.ts'

const ofRecord: Record<Route['method'], string> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/**
 * A verb and the noun of the collection: `GET /v1/providers/{providerId}/clients` → `listClients`, and with an id at the
 * end `getClient`. A route for neither a collection nor a record of one has its own `operationId`.
 */
export function makeOperationId({ method, url, operationId }: Pick<Route, 'method' | 'url' | 'operationId'>) {
  if (operationId !== undefined) return operationId
  const parts = url.split('/')
  const collection = camelCase(parts.findLast((part) => part !== '' && !part.startsWith('{')) ?? '')
  const isList = method === 'GET' && !url.endsWith('}')
  return isList ? `list${collection}` : `${ofRecord[method]}${singular(collection)}`
}

const camelCase = (words: string) =>
  words
    .split(/[-._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const singular = (plural: string) => plural.replace(/s$/, '')
