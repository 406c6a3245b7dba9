/** The plan of a deployment, fixed when it is created: later changes of its template or release have no effect on it. */
import type { Kysely } from 'kysely'
import { accessIn } from '../../access/decisions/decisions.ts'
import { requirePermission } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import type { DeploymentPlan, Rollout } from '../../database/tables/firmware.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError, validationError } from '../../http/errors.ts'
import { MAX_DESIRED_BYTES } from '../../providers/twin/set-desired.ts'
import { listPlaceholders, measureRendered } from '../deployment-templates/placeholders.ts'
import { getDeploymentTemplate } from '../deployment-templates/store.ts'
import { getRelease, type ReleaseRow } from '../releases/store.ts'
import type { CreateDeployment } from './schema.ts'

/** The default of a rollout. */
const DEFAULT_THRESHOLD_PERCENT = 10
const MAX_ISSUES = 20

/**
 * @throws validation_error for a placeholder without a value, or values that are too long; conflict if the release's file was deleted; forbidden, not_found
 */
export async function makePlan(
  tx: Kysely<Tables>,
  caller: Caller,
  body: Pick<CreateDeployment, 'deploymentTemplateId' | 'releaseId'>,
): Promise<DeploymentPlan> {
  const view = (id: string) => requirePermission(accessIn(tx), caller, 'view', { type: 'firmware', id })
  await view(body.deploymentTemplateId)
  await view(body.releaseId)
  const template = await getDeploymentTemplate(tx, caller.tenantId, body.deploymentTemplateId)
  const release = await getRelease(tx, caller.tenantId, body.releaseId)
  const file = await findFile(tx, release)
  const plan = {
    releaseName: release.display_name,
    startingModelIds: release.starting_models.map(({ id }) => id),
    propertyValues: release.property_values,
    file,
    steps: template.steps,
    status: template.status,
  }
  requireValues(plan)
  requireSize(plan)
  return plan
}

async function findFile(tx: Kysely<Tables>, release: ReleaseRow): Promise<DeploymentPlan['file']> {
  const resourceId = release.file_resource_id
  if (resourceId === null) return null
  const row = await tx
    .selectFrom('resource_items')
    .select(['sha256', 'original_file_name'])
    .where('tenant_id', '=', release.tenant_id)
    .where('id', '=', resourceId)
    .executeTakeFirst()
  if (!row?.original_file_name)
    throw new ApiError(
      'conflict',
      `The file ${resourceId} of the release ${release.id} was deleted. Give the release another file.`,
    )
  return { resourceId, name: release.file_name ?? row.original_file_name, sha256: row.sha256 }
}

function requireValues({ steps, file, propertyValues }: DeploymentPlan): void {
  const known = new Set([
    'releaseName',
    ...(file ? ['fileUrl', 'fileName', 'fileSha256'] : []),
    ...propertyValues.map(({ key }) => key),
  ])
  const missing = steps
    .flatMap(({ name, value }) =>
      listPlaceholders(value)
        .filter((placeholder) => !known.has(placeholder))
        .map((placeholder) => ({ name, placeholder })),
    )
    .slice(0, MAX_ISSUES)
  const issues = missing.map(({ name, placeholder }) => ({
    path: 'releaseId',
    message: `has no value for {{${placeholder.slice(0, 64)}}} of the step ${name}; it has ${[...known].join(', ')}`,
  }))
  if (issues.length > 0) throw validationError(...issues)
}

/** An update would fail on every client. The values of the platform, which are short, do not count. */
function requireSize({ steps, propertyValues }: DeploymentPlan): void {
  const values = new Map(propertyValues.map(({ key, value }) => [key, value]))
  const issues = steps
    .map(({ name, value }) => ({ name, length: measureRendered(value, values) }))
    .filter(({ length }) => length > MAX_DESIRED_BYTES)
    .map(({ name, length }) => ({
      path: 'releaseId',
      message: `makes the step ${name} ${length} characters long; the maximum of a desired state is ${MAX_DESIRED_BYTES} bytes`,
    }))
  if (issues.length > 0) throw validationError(...issues)
}

/** @throws validation_error; forbidden and not_found for alarms */
export async function readRollout(
  ctx: Context,
  caller: Caller,
  { rollout }: Pick<CreateDeployment, 'rollout'>,
): Promise<Rollout> {
  if (!rollout) return { waves: [100], failureThresholdPercent: 100, healthAlarmIds: [], rollback: false }
  const { waves = [100], healthAlarmIds = [], rollback = false } = rollout
  if (waves.some((percent, index) => index > 0 && percent <= waves[index - 1]!))
    throw validationError({ path: 'rollout.waves', message: 'must be ascending' })
  if (waves.at(-1) !== 100)
    throw validationError({
      path: 'rollout.waves',
      message: 'must end with 100, so that every client is updated',
    })
  for (const id of healthAlarmIds) await requirePermission(ctx, caller, 'view', { type: 'alarm', id })
  const { failureThresholdPercent = DEFAULT_THRESHOLD_PERCENT } = rollout
  return { waves, failureThresholdPercent, healthAlarmIds: [...new Set(healthAlarmIds)], rollback }
}
