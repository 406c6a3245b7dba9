import Type, { type Static } from 'typebox'
import { Description, DisplayName, FreeObject, SuppliedId, Uuid } from '../http/shapes.ts'
import { DeliveryState } from '../jobs/delivery-state.ts'
import { providerTypes } from './provider-type.ts'

export const ProviderTypeName = Type.Enum([...providerTypes])

/** Of it the platform reads `parser {name, options}`, for clients that have none of their own. [docs/providers#payload-parsers] */
const ProviderData = {
  ...FreeObject,
  description: '`parser` reads the telemetry of clients that have none of their own',
}

/** A secret: taken, kept sealed, and in no answer. */
const ConnectionString = Type.String({
  maxLength: 1024,
  description:
    'For type `iothub`: `HostName=…;SharedAccessKeyName=…;SharedAccessKey=…`. Never shown again; PUT without it keeps it',
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

/** Creates or updates; `type` and `organizationId` are needed only to create. */
export const PutProvider = Type.Object({
  type: Type.Optional(ProviderTypeName),
  displayName: DisplayName,
  description: Type.Optional(Description),
  organizationId: Type.Optional(Uuid),
  providerData: Type.Optional({
    ...ProviderData,
    description: `${ProviderData.description}; stays as it is where absent`,
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
    /** How desired properties reach it; for types whose clients somebody else keeps. */
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
