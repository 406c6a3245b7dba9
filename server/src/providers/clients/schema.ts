import Type, { type Static } from 'typebox'
import {
  Description,
  DeviceId,
  DisplayName,
  FreeObject,
  Nullable,
  SuppliedId,
  Timestamp,
  formatTimestamp,
  Uuid,
} from '../../http/shapes.ts'
import { withoutSecrets } from './provider-data.ts'
import type { ClientRow } from './store.ts'

const ProviderData = {
  ...FreeObject,
  description:
    '`parser {name, options}` reads the following payloads; secrets in the data are not shown again',
}

/** Also the request of the Provider API, which has no organization. [docs/providers#provider-api] */
export const CreateClient = Type.Object({
  id: DeviceId,
  displayName: DisplayName,
  description: Type.Optional(Description),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  organizationId: Type.Optional({
    ...Uuid,
    description: "The provider's organization if absent",
  }),
  providerData: Type.Optional(ProviderData),
})

export const PutClient = Type.Object({
  displayName: DisplayName,
  description: Type.Optional({ ...Description, description: 'Unchanged if absent' }),
  enabled: Type.Optional({ ...Nullable(Type.Boolean()), description: 'true if absent or null' }),
  providerData: Type.Optional({
    ...ProviderData,
    description: `${ProviderData.description}. Unchanged if absent`,
  }),
})

/** Absent fields keep their values. */
export const PatchClient = Type.Object({
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  enabled: Type.Optional(Type.Boolean()),
  providerData: Type.Optional({
    ...ProviderData,
    description: `${ProviderData.description}. Merged into the present data; null removes a field`,
  }),
})

export const ProvisionClient = Type.Object({
  templateId: Type.Optional(SuppliedId),
  options: { ...FreeObject, description: "Override the template's options" },
})
export type ProvisionClient = Static<typeof ProvisionClient>

const Connection = Type.Object(
  {
    connected: Type.Boolean(),
    connectedAt: Nullable(Timestamp),
    remoteAddress: Nullable(Type.String()),
    disconnectedAt: Nullable(Timestamp),
    disconnectReason: Nullable(Type.String()),
    disconnectMessage: Nullable(Type.String()),
    refusedAt: Nullable(Timestamp),
    refusedReason: Nullable(Type.String()),
    refusedMessage: Nullable(Type.String()),
    lastMessageAt: Nullable({
      ...Timestamp,
      description: 'When the client was last heard, at most 5 minutes before its last message',
    }),
  },
  {
    description:
      'The present or last MQTT session, why it ended, and the last sign-in or subscription that was refused',
  },
)

export const ClientRecord = Type.Object(
  {
    id: Type.String(),
    providerId: Type.String(),
    displayName: Type.String(),
    description: Description,
    enabled: Type.Boolean(),
    organizationId: Uuid,
    templateId: Nullable(Type.String()),
    templateApplied: Nullable(Timestamp),
    providerData: FreeObject,
    firmwareRelease: Nullable(
      Type.String({
        description: 'The name of the release that its last successful update or rollback installed',
      }),
    ),
    connection: Connection,
  },
  { title: 'ProviderClient' },
)

export const ClientPath = Type.Object({
  providerId: Type.String({ maxLength: 128 }),
  clientId: Type.String({ maxLength: 128 }),
})

export const ComponentQuery = Type.Object({
  componentId: Type.Optional(
    Type.String({ maxLength: 128, description: 'Component or module; the client itself if absent' }),
  ),
})

export const clientShape = (row: ClientRow) => ({
  ...clientFields(row),
  firmwareRelease: row.firmware_release,
  connection: {
    connected: row.connected,
    connectedAt: formatTimestamp(row.connected_at),
    remoteAddress: row.remote_address,
    disconnectedAt: formatTimestamp(row.disconnected_at),
    disconnectReason: row.disconnect_reason,
    disconnectMessage: row.disconnect_message,
    refusedAt: formatTimestamp(row.refused_at),
    ...splitRefusal(row.refused_reason),
    lastMessageAt: formatTimestamp(row.last_message_at),
  },
})

/** @param text `reason: message`; earlier versions stored only the reason */
function splitRefusal(text: string | null) {
  const [refusedReason = null, refusedMessage = null] = text?.split(/: (.*)/s) ?? []
  return { refusedReason, refusedMessage }
}

/** The fields that users set, which the audit log shows. */
export const clientFields = (row: ClientRow) => ({
  id: row.id,
  providerId: row.provider_id,
  displayName: row.display_name,
  description: row.description,
  enabled: row.enabled,
  organizationId: row.organization_id,
  templateId: row.template_id,
  templateApplied: formatTimestamp(row.template_applied),
  providerData: withoutSecrets(row.provider_data),
})
