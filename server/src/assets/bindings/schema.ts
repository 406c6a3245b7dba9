import Type, { type Static } from 'typebox'
import { FreeObject, Nullable, SuppliedId, Timestamp, formatTimestamp } from '../../http/shapes.ts'
import { endpointHint, formatEndpointId } from '../endpoints.ts'
import { MAX_BINDINGS, MAX_REMOTES, RemoteName, ruleFields } from './binding-rule.ts'
import type { Binding } from './store.ts'

const EndpointId = Type.String({ minLength: 1, maxLength: 1024, description: endpointHint })
const EndpointIds = Type.Array(EndpointId, { maxItems: 10_000 })

const RemoteEndpointId = Type.Object({ name: RemoteName, endpointId: EndpointId })

export const EndpointBinding = Type.Object({
  localEndpointId: EndpointId,
  remoteEndpointIds: Type.Array(RemoteEndpointId, {
    maxItems: MAX_REMOTES,
    description: 'Empty: the binding is removed',
  }),
  ...ruleFields,
})
export type EndpointBinding = Static<typeof EndpointBinding>

const DescriptionUse = Type.Object({
  bindingDescriptionId: Type.Optional(
    Nullable(
      Type.String({
        ...SuppliedId,
        description: "Absent: the default of the asset's model and the type of the client's provider",
      }),
    ),
  ),
  instances: Type.Array(
    Type.Object({ instanceName: Type.String({ minLength: 1, maxLength: 128 }), instanceId: SuppliedId }),
    { minItems: 1, maxItems: 100 },
  ),
  localComponentEndpointId: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 1024,
        description: 'The component to bind instead of the root, such as `pump-7/-/component/motor`',
      }),
    ),
  ),
})
export type DescriptionUse = Static<typeof DescriptionUse>

/** [docs/assets#bind] */
export const BindRequest = Type.Object(
  {
    ignoreEndpointsIds: Type.Optional(EndpointIds),
    ignoreEndpointIds: Type.Optional(
      Type.Array(EndpointId, { maxItems: 10_000, description: 'Another spelling of `ignoreEndpointsIds`' }),
    ),
    endpointBindings: Type.Optional(Type.Array(EndpointBinding, { maxItems: MAX_BINDINGS })),
    bindingDescriptions: Type.Optional(Type.Array(DescriptionUse, { maxItems: 100 })),
    autobindRemoteInstanceIds: Type.Optional(Type.Array(SuppliedId, { maxItems: 100 })),
  },
  { title: 'BindRequest' },
)
export type BindRequest = Static<typeof BindRequest>

const bindingFields = {
  localEndpointId: Type.String(),
  remoteEndpointIds: Type.Array(Type.Object({ name: Type.String(), endpointId: Type.String() })),
  bindingType: Type.String(),
  transform: Nullable(FreeObject),
  inverseTransform: Nullable(FreeObject),
  origin: Type.Enum(['explicit', 'description', 'autobind']),
  bindingDescriptionId: Type.Optional(Type.String()),
  lastError: Type.Optional(
    Type.Object(
      { message: Type.String(), time: Nullable(Timestamp) },
      { description: 'Time of its last value' },
    ),
  ),
}
const BindingRecord = Type.Object(bindingFields, { title: 'Binding' })

/** [docs/assets#bindings-of-a-client] */
export const ClientBinding = Type.Object(
  {
    assetId: Type.String(),
    assetName: Type.String({ description: 'Display name of the asset' }),
    ...bindingFields,
  },
  { title: 'ClientBinding' },
)

export const BindingSet = Type.Object(
  {
    assetId: Type.String(),
    bindings: Type.Array(BindingRecord),
    ignoreEndpointIds: Type.Array(Type.String()),
    unboundEndpointIds: Type.Array(
      Type.String({ description: 'Endpoints of the model that are neither bound nor ignored' }),
    ),
  },
  { title: 'BindingSet' },
)

export const localEndpointId = (binding: Binding): string =>
  formatEndpointId({ ...binding, instanceId: binding.assetId })

export const bindingShape = (binding: Binding) => ({
  localEndpointId: localEndpointId(binding),
  remoteEndpointIds: binding.remotes.map((remote) => ({
    name: remote.remoteName,
    endpointId: formatEndpointId(remote),
  })),
  bindingType: binding.bindingType,
  transform: binding.transform as Record<string, unknown> | null,
  inverseTransform: binding.inverseTransform as Record<string, unknown> | null,
  origin: binding.origin,
  ...(binding.bindingDescriptionId !== null && { bindingDescriptionId: binding.bindingDescriptionId }),
  ...(binding.error !== null && {
    lastError: { message: binding.error, time: formatTimestamp(binding.errorAt) },
  }),
})
