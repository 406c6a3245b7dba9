import type { EndpointContent, ModelParts } from '../models/model-endpoints.ts'
import { schemasFit } from '../models/schemas-fit.ts'

/** Whether the target model has the endpoint too and accepts there the values of the source model. */
export function isKept(key: string, source: ModelParts, target: ModelParts): boolean {
  const [before, after] = [source.endpoints.get(key), target.endpoints.get(key)]
  if (!after || !before) return after !== undefined
  if (before.kind === 'command' || after.kind === 'command')
    return fitsPayload(before, after, 'request') && fitsPayload(after, before, 'response')
  return schemasFit(before.schema, after.schema)
}

type Command = Extract<EndpointContent, { kind: 'command' }>

/** An absent payload fits every command. */
function fitsPayload(from: EndpointContent, to: EndpointContent, side: 'request' | 'response'): boolean {
  const [given, taken] = [(from as Command)[side], (to as Command)[side]]
  return !given || !taken || schemasFit(given.schema, taken.schema)
}
