import Type from 'typebox'
import type { TenantRow } from '../../database/tables/organizations.ts'
import { DisplayName, Nullable, Timestamp, formatTimestamp } from '../../http/shapes.ts'
import { Email, Password } from '../../users/schema.ts'
import { Privileges } from '../privileges.ts'

const Plan = Type.Enum(['standard', 'enterprise'])
const Oidc = Nullable(
  Type.Object({
    issuer: Type.String({ format: 'uri', pattern: '^https?://', maxLength: 1024 }),
    audience: Type.String({ minLength: 1, maxLength: 1024 }),
    clientId: Type.String({ minLength: 1, maxLength: 256, description: 'Address of the console' }),
  }),
)
const RetentionDays = Nullable(
  Type.Integer({ minimum: 1, maximum: 36500, description: 'null keeps everything' }),
)

const RollupRetentionDays = Nullable(
  Type.Integer({
    minimum: 1,
    maximum: 36500,
    description:
      'For how many days rollups are kept, more than the samples; null deletes rollups together with their samples',
  }),
)

export const CreateTenant = Type.Object({
  id: Type.String({
    pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    description: 'Lower-case letters, digits and `-`',
  }),
  displayName: DisplayName,
  plan: Type.Optional(Plan),
  privileges: Type.Optional(Privileges),
  administrator: Type.Object({
    displayName: DisplayName,
    email: Email,
    password: Password,
  }),
})

export const ChangeTenant = Type.Object({
  displayName: Type.Optional(DisplayName),
  plan: Type.Optional(Plan),
  privileges: Type.Optional(Privileges),
  telemetryRetentionDays: Type.Optional(RetentionDays),
  rollupRetentionDays: Type.Optional(RollupRetentionDays),
  oidc: Type.Optional(Oidc),
})

export const TenantRecord = Type.Object(
  {
    id: Type.String(),
    displayName: Type.String(),
    plan: Plan,
    privileges: Type.Array(Type.String()),
    telemetryRetentionDays: RetentionDays,
    rollupRetentionDays: RollupRetentionDays,
    oidc: Oidc,
    createdAt: Timestamp,
    deletion: {
      ...Nullable(
        Type.Object({
          startedAt: Timestamp,
          deletedRows: Type.Integer(),
          error: Nullable(Type.String({ description: 'The error of the last try, if it failed' })),
        }),
      ),
      description: 'The progress of a deletion; once it has ended, the tenant is not found',
    },
  },
  { title: 'Tenant' },
)

export const WouldDelete = Type.Object({
  before: { ...Nullable(Timestamp), description: 'Samples before this time go; null without a retention' },
  samples: Type.Integer({ minimum: 0, description: 'Samples that go' }),
  bytes: Type.Integer({ minimum: 0, description: 'Bytes that come free' }),
  isEstimate: Type.Boolean({ description: 'The figures are estimated from a part of the rows' }),
})

export const ChangedTenantRecord = Type.Object(
  {
    ...TenantRecord.properties,
    wouldDelete: Type.Optional({
      ...WouldDelete,
      description: 'Of a dry run: what the retention would delete',
    }),
  },
  { title: 'ChangedTenant' },
)

export const tenantShape = (row: TenantRow) => ({
  id: row.id,
  displayName: row.display_name,
  plan: row.plan,
  privileges: row.privileges,
  telemetryRetentionDays: row.telemetry_retention_days,
  rollupRetentionDays: row.rollup_retention_days,
  oidc: row.oidc_issuer && {
    issuer: row.oidc_issuer,
    audience: row.oidc_audience,
    clientId: row.oidc_client_id,
  },
  createdAt: formatTimestamp(row.created_at),
  deletion: row.deletion_started_at && {
    startedAt: formatTimestamp(row.deletion_started_at),
    deletedRows: Number(row.deletion_rows),
    error: row.deletion_error,
  },
})
