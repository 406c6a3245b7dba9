import type { Readable } from 'node:stream'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../http/access.ts'
import type { GetProviderApi } from '../../provider-api/create-provider-apis.ts'
import { addDevices } from '../add-devices.ts'
import { type LineError, readDeviceLines } from './read-device-lines.ts'

/**
 * Adds the devices of a body that has one JSON object per line. An invalid line is reported; the other lines are still
 * processed. [docs/onboarding#bulk-add]
 * @throws not_found for the group, payload_too_large; in both cases no device is added
 */
export async function bulkAdd(
  ctx: Context,
  getProviderApi: GetProviderApi,
  { caller, groupId, body }: { caller: Caller; groupId: string; body: Readable },
) {
  const { devices, repeated, errors } = await readDeviceLines(body)
  const { added, refused } = await addDevices(ctx, getProviderApi, {
    caller,
    groupId,
    deviceIds: [...devices.keys()],
  })
  const refusals = [...refused].map(([device_id, { code, message }]): LineError => ({
    line: devices.get(device_id)!,
    device_id,
    error: code,
    message,
  }))
  return {
    added: added.length,
    skipped: repeated + devices.size - added.length - refused.size,
    errors: [...errors, ...refusals].toSorted((a, b) => a.line - b.line),
  }
}
