import Type, { type Static } from 'typebox'
import { Description, DisplayName, FreeObject, SuppliedId, Uuid } from '../http/shapes.ts'
import { DeliveryState } from '../jobs/delivery-state.ts'
import { providerTypes } from './provider-type.ts'

export const ProviderTypeName = Type.Enum([...providerTypes])

/** The platform reads `parser {name, options}`, for clients without a parser of their own. [docs/providers#payload-parsers] */
const ProviderData = {
  ...FreeObject,
  description: '`parser` reads the telemetry of clients without a parser of their own',
}

/** A secret: it is stored sealed and not part of any answer. */
const ConnectionString = Type.String({
  maxLength: 1024,
  description:
    'For type `iothub`: `HostName=…;SharedAccessKeyName=…;SharedAccessKey=…`. Never shown again; unchanged if absent in PUT',
})

export const CreateProvider = Type.Object({
  id: Type.Optional(SuppliedId),
  type: ProviderTypeName,
  displayName: DisplayName,
  description: Type.Optional(Description),
  organizationId: Uuid,
  providerData: Type.Optional(ProviderData),
  connectionString: Type.Optional(ConnectionString),
})

/** Creates or updates; `type` and `organizationId` are required only to create. */
export const PutProvider = Type.Object({
  type: Type.Optional(ProviderTypeName),
  displayName: DisplayName,
  description: Type.Optional(Description),
  organizationId: Type.Optional(Uuid),
  providerData: Type.Optional({
    ...ProviderData,
    description: `${ProviderData.description}; unchanged if absent`,
  }),
  connectionString: Type.Optional(ConnectionString),
})
export type PutProvider = Static<typeof PutProvider>

export const ProviderRecord = Type.Object(
  {
    id: Type.String(),
    type: ProviderTypeName,
    displayName: Type.String(),
    description: Description,
    organizationId: Uuid,
    providerData: ProviderData,
  },
  { title: 'Provider' },
)

export const ProviderWithDelivery = Type.Object(
  {
    ...ProviderRecord.properties,
    /** The delivery of desired properties to a remote provider. */
    delivery: Type.Optional(DeliveryState),
  },
  { title: 'ProviderWithDelivery' },
)

export const ProviderPath = Type.Object({ providerId: Type.String({ maxLength: 128 }) })

export const providerShape = (row: {
  id: string
  type: string
  display_name: string
  description: string | null
  organization_id: string
  provider_data: Record<string, unknown>
}) => ({
  id: row.id,
  type: row.type,
  displayName: row.display_name,
  description: row.description,
  organizationId: row.organization_id,
  providerData: row.provider_data,
})
