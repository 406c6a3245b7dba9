import type { Selectable } from 'kysely'
import Type, { type Static } from 'typebox'
import { AuthorizationContext } from '../access/relations/authorization-context.ts'
import type { Context } from '../context.ts'
import { publicUrl } from '../http/public-url.ts'
import type { ResourceTables } from '../database/tables/resources.ts'
import {
  Description,
  DisplayName,
  FreeObject,
  Nullable,
  Timestamp,
  formatTimestamp,
  Uuid,
} from '../http/shapes.ts'
import { Tags } from './tags.ts'

const described = {
  displayName: DisplayName,
  description: Type.Optional(Description),
  tags: Type.Optional(Tags),
}
const placed = {
  organizationId: Type.Optional(Uuid),
  authorizationContext: Type.Optional(AuthorizationContext),
}

export const CreateDocument = Type.Object({ ...described, document: FreeObject, ...placed })
export type CreateDocument = Static<typeof CreateDocument>

/** The fields of an upload form beside its file. */
export const UploadFields = Type.Object({ ...described, displayName: Type.Optional(DisplayName), ...placed })
export type UploadFields = Static<typeof UploadFields>

/** The form as the API description shows it. */
export const UploadForm = Type.Object({
  file: Type.String({ format: 'binary' }),
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Type.String()),
  tags: Type.Optional(Type.String({ description: 'A JSON object as text' })),
  organizationId: Type.Optional(Uuid),
  authorizationContext: Type.Optional(Type.String({ description: 'A JSON object as text' })),
})
export const ReplaceForm = Type.Pick(UploadForm, ['file'])

export const ChangeResource = Type.Object({
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  tags: Type.Optional(Tags),
  document: Type.Optional(FreeObject),
  ifSha256: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'The `metadata.sha256` on which the change was made; `conflict` if the resource has another one',
    }),
  ),
})

/** The body is either the tags themselves, or an object with them as `tags`. */
export const SetTags = Type.Union([Type.Object({ tags: Tags }), Tags])

const Metadata = Type.Object({
  size: Type.Integer({ description: 'Bytes' }),
  sha256: Type.String(),
  contentType: Type.String(),
  createdAt: Timestamp,
  createdBy: Uuid,
  changedAt: Timestamp,
  changedBy: Uuid,
})

const History = Type.Object({
  entries: Type.Array(
    Type.Object({
      at: Timestamp,
      actorType: Type.String(),
      actorId: Nullable(Type.String()),
      action: Type.String(),
    }),
    { description: 'The last 20, newest first' },
  ),
})
export type History = Static<typeof History>

export const ResourceRecord = Type.Object(
  {
    id: Uuid,
    resource_type: Type.Literal('user-resource'),
    displayName: Type.String(),
    description: Description,
    tags: Tags,
    document: Type.Optional(FreeObject),
    originalFileName: Type.Optional(Type.String()),
    fileUrl: Type.Optional(Type.String()),
    metadata: Metadata,
    history: History,
    organizationId: Uuid,
    authorizationContext: AuthorizationContext,
  },
  { title: 'Resource' },
)

export type ResourceRow = Selectable<ResourceTables['resource_items']> & {
  authorization_context: AuthorizationContext
  history: History
}

/** The record in the audit log, without the history, which is read from that log. */
export const auditShape = (row: ResourceRow) => ({
  id: row.id,
  resource_type: 'user-resource' as const,
  displayName: row.display_name,
  description: row.description,
  tags: row.tags,
  ...(row.document !== null && { document: row.document }),
  ...(row.original_file_name !== null && { originalFileName: row.original_file_name }),
  metadata: {
    size: Number(row.size),
    sha256: row.sha256,
    contentType: row.content_type,
    createdAt: formatTimestamp(row.created_at),
    createdBy: row.created_by,
    changedAt: formatTimestamp(row.changed_at),
    changedBy: row.changed_by,
  },
  organizationId: row.organization_id,
  authorizationContext: row.authorization_context,
})

export const resourceShape =
  (ctx: Pick<Context, 'config' | 'endpoints'>) =>
  (row: ResourceRow): Static<typeof ResourceRecord> => ({
    ...(auditShape(row) as Omit<Static<typeof ResourceRecord>, 'history'>),
    ...(row.file_key !== null && { fileUrl: `${publicUrl(ctx)}/v1/resources/download/${row.id}` }),
    history: row.history,
  })
