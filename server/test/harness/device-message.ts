/** Messages of a client, like those of the gateway to ingest. */
import type { Device, DeviceMessage } from '../../src/ingest/message.ts'
import type { Platform } from './platform.ts'

/** @param id of a client of the provider `mqtt` in tenant `default` */
export async function findDevice({ ctx }: Platform, id: string): Promise<Device> {
  const { number, tenant_number: tenantNumber } = await ctx.db
    .selectFrom('provider_clients as c')
    .innerJoin('tenants as t', 't.id', 'c.tenant_id')
    .select(['c.number', 't.number as tenant_number'])
    .where('c.id', '=', id)
    .executeTakeFirstOrThrow()
  const parse = ctx.parsers.of(undefined, '')
  return { number, id, tenantId: 'default', tenantNumber, providerId: 'mqtt', parse }
}

export const makeMessage = (
  device: Device,
  payload: object,
  { packetId = 5, isRepeat = false } = {},
): DeviceMessage => ({
  device,
  topic: `devices/${device.id}/telemetry`,
  payload: Buffer.from(JSON.stringify(payload)),
  receivedAtMs: Date.now(),
  packetId,
  isRepeat,
})
