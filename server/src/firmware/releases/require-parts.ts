/** Checks the references of a release: its file and models exist, and its property values have distinct keys. */
import type { Kysely } from 'kysely'
import { accessIn } from '../../access/decisions/decisions.ts'
import { requirePermission, requirePrivilegeIn } from '../../access/require.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError, validationError } from '../../http/errors.ts'
import { cleanFileName } from '../../resources/files/file-name.ts'
import { platformNames } from '../deployment-templates/placeholders.ts'
import type { CreateRelease, ReplaceRelease } from './schema.ts'
import type { Release } from './store.ts'

const MAX_VALUES_BYTES = 64 * 1024

/**
 * @param before the replaced release, whose values are kept for absent fields
 * @throws validation_error; forbidden for a file that the caller may not view
 */
export async function checkRelease(
  tx: Kysely<Tables>,
  caller: Caller,
  body: CreateRelease | ReplaceRelease,
  before: Partial<Release> = {},
): Promise<Release> {
  const { fileResourceId = before.fileResourceId ?? null } = body
  const isNewFile = fileResourceId !== null && fileResourceId !== before.fileResourceId
  const file = isNewFile ? await requireFile(tx, caller, fileResourceId) : undefined
  const kept = file || fileResourceId === null ? undefined : before.fileName
  if (body.propertyValues) requireValues(body.propertyValues)
  if (body.fileName) requireFileName(body.fileName)
  return {
    displayName: body.displayName,
    description: body.description === undefined ? (before.description ?? null) : body.description,
    startingModels: body.startingModels
      ? await addModelNames(tx, caller.tenantId, body.startingModels)
      : (before.startingModels ?? []),
    propertyValues: body.propertyValues ?? before.propertyValues ?? [],
    fileResourceId,
    fileName: body.fileName ?? kept ?? file?.original_file_name ?? null,
  }
}

/** Devices may use the name for a local file. */
function requireFileName(name: string): void {
  const clean = cleanFileName(name)
  if (clean !== name)
    throw validationError({
      path: 'fileName',
      message: `must be a plain name without path, control or text direction characters, such as ${clean}`,
    })
}

function requireValues(values: Release['propertyValues']): void {
  const keys = values.map(({ key }) => key)
  const duplicate = keys.find((key, index) => keys.indexOf(key) !== index)
  if (duplicate !== undefined)
    throw validationError({ path: 'propertyValues', message: `has the key ${duplicate} twice` })
  const reserved = keys.find((key) => platformNames.includes(key))
  if (reserved !== undefined)
    throw validationError({
      path: 'propertyValues',
      message: `cannot have the key ${reserved}, whose value the platform provides`,
    })
  if (Buffer.byteLength(JSON.stringify(values)) > MAX_VALUES_BYTES)
    throw validationError({ path: 'propertyValues', message: `must not exceed ${MAX_VALUES_BYTES} bytes` })
}

async function addModelNames(tx: Kysely<Tables>, tenantId: string, models: Release['startingModels']) {
  if (models.length === 0) return []
  const rows = await tx
    .selectFrom('models')
    .select(['id', 'display_name'])
    .where('tenant_id', '=', tenantId)
    .where(
      'id',
      'in',
      models.map(({ id }) => id),
    )
    .execute()
  const names = new Map(rows.map((row) => [row.id, row.display_name]))
  const unknown = models.filter(({ id }) => !names.has(id)).map(({ id }) => id)
  if (unknown.length > 0)
    throw validationError({ path: 'startingModels', message: `names no model: ${unknown.join(', ')}` })
  return models.map(({ id, displayName }) => ({ id, displayName: displayName ?? names.get(id)! }))
}

async function requireFile(tx: Kysely<Tables>, caller: Caller, id: string) {
  const missing = validationError({ path: 'fileResourceId', message: `there is no resource ${id}` })
  // A concurrent deletion of the file waits for this lock, and then finds the release.
  const row = await tx
    .selectFrom('resource_items')
    .select(['organization_id', 'original_file_name', 'file_key'])
    .where('tenant_id', '=', caller.tenantId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  if (!row) throw missing
  await requireViewable(tx, caller, id, row.organization_id)
  if (row.file_key === null)
    throw validationError({ path: 'fileResourceId', message: `the resource ${id} is a document, not a file` })
  return row
}

/** The privilege `firmware_management` in the file's organization is sufficient, too. */
async function requireViewable(tx: Kysely<Tables>, caller: Caller, id: string, organizationId: string) {
  try {
    await requirePermission(accessIn(tx), caller, 'view', { type: 'resource_item', id })
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'forbidden')) throw error
    await requirePrivilegeIn(accessIn(tx), caller, 'firmware_management', organizationId).catch(() => {
      throw error
    })
  }
}
