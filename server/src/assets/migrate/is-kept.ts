import type { EndpointContent, ModelParts } from '../models/model-endpoints.ts'
import { schemasFit } from '../models/schemas-fit.ts'

/** Whether the endpoint is in the target as well, and takes there what it gave in the source. */
export function isKept(key: string, source: ModelParts, target: ModelParts): boolean {
  const [before, after] = [source.endpoints.get(key), target.endpoints.get(key)]
  if (!after || !before) return after !== undefined
  if (before.kind === 'command' || after.kind === 'command')
    return fitsPayload(before, after, 'request') && fitsPayload(after, before, 'response')
  return schemasFit(before.schema, after.schema)
}

type Command = Extract<EndpointContent, { kind: 'command' }>

/** A payload that is absent carries nothing, which every command takes. */
function fitsPayload(from: EndpointContent, to: EndpointContent, side: 'request' | 'response'): boolean {
  const [given, taken] = [(from as Command)[side], (to as Command)[side]]
  return !given || !taken || schemasFit(given.schema, taken.schema)
}
