import {
  localEndpointHint,
  type LocalEndpoint,
  localEndpointKey,
  parseLocalEndpoint,
} from '../../endpoints.ts'
import { refuse } from '../../models/dtdl/document.ts'
import type { ModelEndpoints } from '../../models/model-endpoints.ts'
import { readRule } from '../binding-rule.ts'
import type { DescribedBinding, GivenBinding } from './schema.ts'

/**
 * @param endpoints the endpoints of the description's model
 * @throws validation_error with the path in the request
 */
export function checkDescribedBindings(
  bindings: GivenBinding[],
  endpoints: ModelEndpoints,
): DescribedBinding[] {
  const seen = new Set<string>()
  return bindings.map((binding, index) => {
    const path = `bindings.${index}`
    const local = readKey(binding.localEndpoint, `${path}.localEndpoint`)
    const key = localEndpointKey(local)
    if (!endpoints.has(key)) refuse(`${path}.localEndpoint`, `names no content of the model: ${key}`)
    if (seen.has(key)) refuse(`${path}.localEndpoint`, `binds ${key}, as a binding before it does`)
    seen.add(key)
    const remotes = binding.remotes.map((remote, place) => {
      const at = `${path}.remotes.${place}.endpoint`
      const endpoint = readKey(remote.endpoint, at)
      if (endpoint.kind !== local.kind)
        refuse(at, `must be of the kind ${local.kind}, as the local endpoint is`)
      return { ...remote, endpoint: localEndpointKey(endpoint) }
    })
    const names = remotes.map(({ name }) => name)
    return { localEndpoint: key, remotes, ...readRule(local.kind, names, binding, path) }
  })
}

const readKey = (text: string, path: string): LocalEndpoint =>
  parseLocalEndpoint(text) ?? refuse(path, `must be ${localEndpointHint}`)
