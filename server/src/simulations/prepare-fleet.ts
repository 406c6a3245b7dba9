import { findModelParts } from '../assets/models/model-endpoints.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../http/access.ts'
import { ApiError } from '../http/errors.ts'
import { publicUrl } from '../http/public-url.ts'
import { providerClientCredentials } from '../providers/provider-api/functions.ts'
import { checkSimulation, findTelemetry } from './check-simulation.ts'
import { listDeviceIds } from './device-ids.ts'
import { readFirmwareRules } from './firmware/schema.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { readColumns } from './generators/read-columns.ts'
import { makeDevices } from './make-devices.ts'
import type { Progress } from './progress.ts'
import type { SimulationRow } from '../database/tables/simulations.ts'

/** Creates missing devices and collects what the fleet needs. @throws the errors of its checks */
export async function prepareFleet(
  ctx: Context,
  row: SimulationRow,
  aborted: AbortSignal,
): Promise<(startedAt: Date, progress: Progress) => Fleet> {
  const caller = row.started_by!
  const { organization_id, provider_id, model_id, signals } = row
  await checkSimulation(ctx, caller, {
    organizationId: organization_id,
    providerId: provider_id,
    modelId: model_id,
    signals,
  })
  await makeDevices(ctx, caller, row, aborted)
  const devices = aborted.aborted ? [] : await readCredentials(ctx, caller, row)
  const columns = await readColumns(ctx, caller, signals)
  const endpoints =
    model_id === null ? undefined : (await findModelParts(ctx.db, row.tenant_id, model_id)).endpoints
  const isWhole = (type: string | undefined) => type === 'integer' || type === 'long'
  const plan = {
    url: findBrokerUrl(ctx),
    devices,
    signals: signals.map((signal) => {
      const content = endpoints && findTelemetry(endpoints, signal)
      const type = content?.kind === 'telemetry' ? content.schema.type : undefined
      return { signal, column: columns.get(signal), whole: isWhole(type) }
    }),
    methods: row.methods,
    firmware: row.firmware ? await readFirmwareRules(ctx, caller, row.firmware) : undefined,
    intervalSeconds: row.interval_seconds,
  }
  return (startedAt, progress) => startFleet({ ...plan, startedAt }, progress)
}

/** A worker without a gateway of its own connects as devices do: to the host of the public URL. [docs/operating#roles] */
function findBrokerUrl(ctx: Context): string {
  const { hostname } = new URL(publicUrl(ctx))
  return ctx.endpoints.mqtt ?? `mqtt://${hostname}:${ctx.config.mqttPort}`
}

/** @throws forbidden for an existing client that the caller may not manage */
async function readCredentials(ctx: Context, caller: Caller, row: SimulationRow) {
  const ids = listDeviceIds(row)
  const keys = await providerClientCredentials(ctx, caller, row.provider_id, ids)
  return ids.map((id, index) => {
    const own = keys[index]
    if (own) return { id, password: own.primaryKey }
    throw new ApiError('forbidden', `This needs the permission manage on the provider client ${id}.`, {
      required: { permission: 'manage', resourceType: 'provider_client', resourceId: id },
    })
  })
}
