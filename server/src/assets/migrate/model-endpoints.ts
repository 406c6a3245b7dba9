/** What a model offers to bind, by `component/kind/name`. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { localEndpointKey } from '../endpoints.ts'
import { listModelContents } from '../models/contents.ts'
import type { ModelContent } from '../models/resolve.ts'
import type { ModelRow } from '../models/store.ts'
import { fits } from './fits.ts'

type EndpointContent = Extract<ModelContent, { kind: 'telemetry' | 'property' | 'command' }>

export interface ModelEndpoints {
  byKey: Map<string, EndpointContent>
  components: Set<string>
}

export async function readModelEndpoints(db: Kysely<Tables>, model: ModelRow): Promise<ModelEndpoints> {
  const contents = await listModelContents(db, model)
  const byKey = new Map(contents.filter(isEndpoint).map((content) => [keyOf(content), content]))
  const components = contents.filter(({ kind }) => kind === 'component').map(({ name }) => name)
  return { byKey, components: new Set(components) }
}

const isEndpoint = (content: ModelContent): content is EndpointContent =>
  content.kind !== 'component' && content.kind !== 'relationship'

const keyOf = ({ componentId, kind, name }: EndpointContent) =>
  localEndpointKey({ componentId: componentId ?? '', kind, name })

/** Whether the endpoint is in the target as well, and takes there what it gave in the source. */
export function isKept(key: string, source: ModelEndpoints, target: ModelEndpoints): boolean {
  const [before, after] = [source.byKey.get(key), target.byKey.get(key)]
  if (!after || !before) return after !== undefined
  if (before.kind === 'command' || after.kind === 'command')
    return fitsPayload(before, after, 'request') && fitsPayload(after, before, 'response')
  return fits(before.schema, after.schema)
}

type Command = Extract<EndpointContent, { kind: 'command' }>

/** A payload that is absent carries nothing, which every command takes. */
function fitsPayload(from: EndpointContent, to: EndpointContent, side: 'request' | 'response'): boolean {
  const [given, taken] = [(from as Command)[side], (to as Command)[side]]
  return !given || !taken || fits(given.schema, taken.schema)
}
