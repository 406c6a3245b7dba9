/** Decides for autobind whether an endpoint of one asset can be bound to the endpoint of the same name of another. */
import type { EndpointContent } from './model-endpoints.ts'
import { schemasFit } from './schemas-fit.ts'
import type { Field } from './dtdl/model.ts'

/**
 * Writable properties carry values in both directions. A command's request goes to the remote endpoint and its response
 * comes back.
 */
export function contentsFit(local: EndpointContent, remote: EndpointContent): boolean {
  if (local.kind === 'telemetry' && remote.kind === 'telemetry') return fieldsFit(remote, local)
  if (local.kind === 'property' && remote.kind === 'property')
    return fieldsFit(remote, local) && (!local.writable || (remote.writable && fieldsFit(local, remote)))
  if (local.kind === 'command' && remote.kind === 'command')
    return fieldsFit(local.request, remote.request) && fieldsFit(remote.response, local.response)
  return false
}

function fieldsFit(from: Field | null, to: Field | null): boolean {
  if (!from || !to) return from === to
  const sameUnit = from.unit === to.unit || from.unit === null || to.unit === null
  return sameUnit && schemasFit(from.schema, to.schema)
}
