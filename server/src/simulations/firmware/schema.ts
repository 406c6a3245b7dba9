/** How simulated devices play firmware updates, to rehearse a rollout. */
import Type, { type Static } from 'typebox'
import { requirePermission } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import { getDeploymentTemplate } from '../../firmware/deployment-templates/store.ts'
import type { Caller } from '../../http/access.ts'
import { validationError } from '../../http/errors.ts'
import { Uuid } from '../../http/shapes.ts'
import type { FirmwareRules } from './play-updates.ts'

const Percent = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 100, default: 0, description }))

export const SimulatedFirmware = Type.Object(
  {
    deploymentTemplateId: {
      ...Uuid,
      description: 'The devices wait for its steps, and report the values of its status map',
    },
    durationSeconds: Type.Optional(
      Type.Number({ minimum: 0, maximum: 3600, default: 10, description: 'Duration of a step' }),
    ),
    failurePercent: Percent(
      'Share of the devices, from the first one, that report the first of `failureStatuses`',
    ),
    offlinePercent: Percent(
      'Share of the devices, after those, that disconnect when an update begins, and complete it afterwards',
    ),
    offlineSeconds: Type.Optional(Type.Number({ minimum: 1, maximum: 86_400, default: 600 })),
  },
  { additionalProperties: false, title: 'SimulatedFirmware' },
)
export type SimulatedFirmware = Static<typeof SimulatedFirmware>

/**
 * Reads the present state of the deployment template.
 * @throws forbidden, not_found; validation_error if devices are to fail and the template has no failure status
 */
export async function readFirmwareRules(
  ctx: Context,
  caller: Caller,
  firmware: SimulatedFirmware,
): Promise<FirmwareRules> {
  const { deploymentTemplateId: id, failurePercent = 0, offlinePercent = 0 } = firmware
  if (failurePercent + offlinePercent > 100)
    throw validationError({
      path: 'firmware.offlinePercent',
      message: 'and failurePercent must be at most 100 together',
    })
  await requirePermission(ctx, caller, 'view', { type: 'firmware', id })
  const { steps, status } = await getDeploymentTemplate(ctx.db, caller.tenantId, id)
  const { successStatuses, failureStatuses } = status.statusMap
  if (failurePercent > 0 && failureStatuses.length === 0)
    throw validationError({
      path: 'firmware.failurePercent',
      message: 'must be 0: the template has no failureStatuses',
    })
  return {
    stepNames: steps.map(({ name }) => name),
    statusProperty: status.statusPropertyName,
    success: successStatuses[0]!.value,
    failure: failureStatuses[0]?.value,
    durationMs: (firmware.durationSeconds ?? 10) * 1000,
    offlineMs: (firmware.offlineSeconds ?? 600) * 1000,
    failurePercent,
    offlinePercent,
  }
}
