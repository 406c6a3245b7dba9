/** Checks a theme: its pictures must exist, and its author must be allowed to view them. [docs/files#themes] */
import type { Kysely } from 'kysely'
import { Compile } from 'typebox/compile'
import { requirePermission } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError, validationError } from '../../http/errors.ts'
import { listIssues } from '../../http/validate.ts'
import type { ResourceRow } from '../schema.ts'
import type { Tags } from '../tags.ts'
import { ThemeDocument } from './schema.ts'

const theme = Compile(ThemeDocument)

interface Themed {
  tags: Tags
  document: Record<string, unknown> | null
}

/**
 * Only a JSON document with the tag `theme` is checked. Pictures that the theme named before are not checked again.
 * @throws validation_error; forbidden for a picture that the caller may not view
 */
export async function requireTheme(
  ctx: Context,
  tx: Kysely<Tables>,
  {
    caller,
    resource: { tags, document },
    before,
  }: { caller: Caller; resource: Themed; before?: ResourceRow },
): Promise<void> {
  if (!Object.hasOwn(tags, 'theme') || document === null) return
  if (!theme.Check(document))
    throw validationError(
      ...listIssues(theme.Errors(document), '').map(({ path, message }) => ({
        path: path ? `document.${path}` : 'document',
        message,
      })),
    )
  for (const field of ['logo', 'favicon'] as const) {
    const id = document[field]
    if (id && id !== before?.document?.[field]) await requirePicture(ctx, tx, { caller, field, id })
  }
}

async function requirePicture(
  ctx: Context,
  tx: Kysely<Tables>,
  { caller, field, id }: { caller: Caller; field: string; id: string },
) {
  const missing = validationError({ path: `document.${field}`, message: `there is no resource ${id}` })
  try {
    await requirePermission(ctx, caller, 'view', { type: 'resource_item', id })
  } catch (error) {
    throw error instanceof ApiError && error.code === 'not_found' ? missing : error
  }
  // A concurrent deletion of the picture waits, and then finds the theme.
  const row = await tx
    .selectFrom('resource_items')
    .select('id')
    .where('tenant_id', '=', caller.tenantId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  if (!row) throw missing
}
