/** Assets of the attacker that are bound to a device. */
import type { Tenant } from './tenant.ts'

const telemetry = (name: string, schema: unknown) => ({ '@type': 'Telemetry', name, schema })

/** Creates a model with a text, a list of numbers and a number. @returns its id */
export async function makeModel(tenant: Tenant, name: string): Promise<string> {
  const id = `dtmi:com:example:${name};1`
  const contents = [
    telemetry('text', 'string'),
    telemetry('list', { '@type': 'Array', elementSchema: 'double' }),
    telemetry('number', 'double'),
  ]
  await tenant.make('POST', '/v1/models', {
    organizationId: tenant.organizationId,
    displayName: name,
    definition: { '@context': 'dtmi:dtdl:context;3', '@id': id, '@type': 'Interface', contents },
  })
  return id
}

export interface SignalBinding {
  /** The name of the signal in the model. */
  to: string
  /** The name of the signal that the device sends. */
  from: string
  transform?: object
}

export async function makeAsset(
  tenant: Tenant,
  {
    id,
    modelId,
    deviceId,
    bindings,
  }: { id: string; modelId: string; deviceId: string; bindings: SignalBinding[] },
): Promise<void> {
  const { organizationId } = tenant
  await tenant.make('POST', '/v1/assets', { id, modelId, organizationId, displayName: id })
  await tenant.make('POST', `/v1/assets/${id}/bind`, {
    endpointBindings: bindings.map(({ to, from, transform }) => ({
      localEndpointId: `${id}/-/telemetry/${to}`,
      remoteEndpointIds: [{ name: 'x', endpointId: `${deviceId}/-/telemetry/${from}` }],
      ...(transform && { transform }),
    })),
  })
}
