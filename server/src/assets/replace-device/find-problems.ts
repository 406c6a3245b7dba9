/**
 * Finds what does not fit when a new client replaces an old one. A client has no model, so its reported properties are
 * compared.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { localEndpointId } from '../bindings/schema.ts'
import type { Binding } from '../bindings/store.ts'
import { localEndpointKey } from '../endpoints.ts'
import { fitsSchema } from '../models/fits-schema.ts'
import type { ModelEndpoints } from '../models/model-endpoints.ts'
import { readReported } from '../twins/copy-reported.ts'
import type { Problem } from './schema.ts'
import type { ReplaceableClient } from './store.ts'

/** A different parser produces other signals, or none. */
export function parserProblems(from: ReplaceableClient, to: ReplaceableClient): Problem[] {
  if (isDeepStrictEqual(from.parser, to.parser)) return []
  const shown = ({ parser }: ReplaceableClient) =>
    parser === null ? '{"name":"json"}' : JSON.stringify(parser)
  const message = `The payloads of ${to.id} are read by the parser ${shown(to)}, those of ${from.id} by ${shown(from)}. Set providerData.parser of ${to.id}, unless its payloads are of another format.`
  return [{ localEndpointId: null, message }]
}

export const commandProblem = (binding: Binding, to: ReplaceableClient): Problem => ({
  localEndpointId: localEndpointId(binding),
  message: `${to.id}, a client of type ${to.provider_type}, cannot take this command. It stays bound as it is.`,
})

/**
 * A client that has not reported anything has no problems.
 * @param bindings the bindings of one asset after the replacement
 */
export async function propertyProblems(
  tx: Kysely<Tables>,
  tenantId: string,
  { bindings, endpoints, to }: { bindings: Binding[]; endpoints: ModelEndpoints; to: ReplaceableClient },
): Promise<Problem[]> {
  const properties = bindings.filter(({ kind }) => kind === 'property')
  const reported = await readReported(tx, tenantId, properties)
  if (!reported.hasReported('client', to.id)) return []
  return properties.flatMap((binding) => {
    const value = reported.computeValue(binding)
    const content = endpoints.get(localEndpointKey(binding))
    const schema = content?.kind === 'property' ? content.schema : undefined
    if (value === undefined) return problem(binding, `What ${to.id} has reported so far does not bring it.`)
    if (!schema || fitsSchema(schema, value)) return []
    return problem(binding, `What ${to.id} has reported does not fit the schema ${schema.type}.`)
  })
}

const problem = (binding: Binding, message: string): Problem[] => [
  { localEndpointId: localEndpointId(binding), message },
]
