/** Computes the desired property that a step of an update sets. */
import type { Context } from '../../context.ts'
import type { DeploymentPlan } from '../../database/tables/firmware.ts'
import { ApiError } from '../../http/errors.ts'
import type { Properties } from '../../providers/twin/merge-patch.ts'
import { signFileUrl } from '../../resources/downloads/signed-links.ts'
import { getResource } from '../../resources/store.ts'
import { MAX_DESIRED_BYTES } from '../../providers/twin/set-desired.ts'
import { listPlaceholders, measureRendered, render } from '../deployment-templates/placeholders.ts'

/** A device that is offline for longer needs a new deployment, because its link has expired. */
const LINK_SECONDS = 90 * 24 * 3600

/**
 * @param step counted from 1
 * @throws conflict if the file was deleted or replaced; payload_too_large for more than a desired state may have
 */
export async function makeStepValues(
  ctx: Context,
  tenantId: string,
  plan: DeploymentPlan,
  step: number,
): Promise<Properties> {
  const { name, value } = plan.steps[step - 1]!
  const values = new Map<string, unknown>(
    plan.propertyValues.map((property) => [property.key, property.value]),
  )
  values.set('releaseName', plan.releaseName)
  if (plan.file) {
    values.set('fileName', plan.file.name)
    values.set('fileSha256', plan.file.sha256)
    if (listPlaceholders(value).includes('fileUrl'))
      values.set('fileUrl', await makeFileLink(ctx, tenantId, plan.file))
  }
  const length = measureRendered(value, values)
  if (length > MAX_DESIRED_BYTES)
    throw new ApiError(
      'payload_too_large',
      `The step ${name} would have ${length} characters; the maximum of a desired state is ${MAX_DESIRED_BYTES} bytes.`,
      { maxBytes: MAX_DESIRED_BYTES },
    )
  return { [name]: render(value, values) }
}

async function makeFileLink(
  ctx: Context,
  tenantId: string,
  { resourceId, sha256 }: NonNullable<DeploymentPlan['file']>,
): Promise<string> {
  const found = await getResource(ctx.db, tenantId, resourceId).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'not_found') return undefined
    throw error
  })
  if (found?.sha256 !== sha256)
    throw new ApiError(
      'conflict',
      `The release's file ${resourceId} was ${found ? 'replaced' : 'deleted'} after the deployment was created.`,
    )
  return signFileUrl(ctx, { tenantId, resourceId, sha256, lifetimeSeconds: LINK_SECONDS })
}
