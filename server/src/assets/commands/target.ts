/** Finds the target of a command: follows bindings from asset to asset to a direct method of a provider client. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { LogicError } from '../../lib/json-logic.ts'
import { fullMethodName } from '../../providers/components.ts'
import { getProviderKind } from '../../providers/kinds/get-provider-kind.ts'
import { METHOD_NAME } from '../../providers/methods/invocation.ts'
import { findLocatedClient, type LocatedClient } from '../bindings/located-client.ts'
import { outgoingValues } from '../bindings/outgoing.ts'
import { type Binding, type Remote, selectBindings } from '../bindings/store.ts'
import { formatEndpointId, type Endpoint } from '../endpoints.ts'

export interface CommandTarget {
  client: LocatedClient
  /** Null means the client itself. */
  componentId: string | null
  method: string
  payload: unknown
}

/** Bindings cannot form a loop, except when two are created at the same moment. */
export const MAX_HOPS = 16
/** The payload with its envelope has to fit into an MQTT message of 1 MB. */
export const MAX_PAYLOAD_BYTES = 900_000

/** @returns the target, or the reason why there is none, for the command's status message */
export async function findTarget(
  db: Kysely<Tables>,
  tenantId: string,
  command: Endpoint,
  payload: unknown,
): Promise<CommandTarget | string> {
  let [at, value] = [command, payload]
  for (let hops = 0; hops < MAX_HOPS; hops++) {
    const binding = await findBinding(db, tenantId, at)
    if (!binding)
      return `not_bound: ${formatEndpointId(at)} is bound to nothing. Bind it to a command of a client.`
    if (binding.remotes.length > 1)
      return `not_bound: ${formatEndpointId(at)} is bound to several endpoints; a command goes to one. Bind it to that one.`
    try {
      const [outgoing] = outgoingValues(binding, value)
      value = outgoing!.value
    } catch (error) {
      if (!(error instanceof LogicError)) throw error
      return `not_transformed: The inverseTransform of ${formatEndpointId(at)} ${error.message}.`
    }
    const remote = binding.remotes[0]!
    if (remote.instanceType === 'client') return readClientTarget(db, tenantId, remote, value)
    at = remote
  }
  return `not_bound: The bindings of ${formatEndpointId(command)} go over more than ${MAX_HOPS} assets.`
}

const findBinding = async (
  db: Kysely<Tables>,
  tenantId: string,
  { instanceId, componentId, kind, name }: Endpoint,
): Promise<Binding | undefined> => {
  const [binding] = await selectBindings(
    db,
    sql`a.tenant_id = ${tenantId} and a.id = ${instanceId}
      and b.component_id = ${componentId} and b.kind = ${kind} and b.name = ${name}`,
  )
  return binding
}

async function readClientTarget(
  db: Kysely<Tables>,
  tenantId: string,
  { instanceId, componentId, name }: Remote,
  payload: unknown,
): Promise<CommandTarget | string> {
  const client = await findLocatedClient(db, tenantId, instanceId)
  if (!client) return `not_bound: The provider client ${instanceId} no longer exists. Bind the command again.`
  const hasModules = getProviderKind(client.provider_type).remote !== undefined
  const method = hasModules ? name : fullMethodName(componentId, name)
  if (!METHOD_NAME.test(method)) return `not_bound: ${method} cannot be the name of a method.`
  if (Buffer.byteLength(JSON.stringify(payload)) > MAX_PAYLOAD_BYTES)
    return `payload_too_large: The payload has more than ${MAX_PAYLOAD_BYTES} bytes as it goes to ${instanceId}.`
  return { client, componentId: hasModules && componentId !== '' ? componentId : null, method, payload }
}
