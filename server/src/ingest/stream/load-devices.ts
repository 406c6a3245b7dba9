import type { Device } from '../message.ts'
import type { StreamContext } from './state.ts'

interface DeviceRow extends Omit<Device, 'parse'> {
  parser: unknown
}

/**
 * Reads the senders of a batch as they are now: a parser that was changed reads what is stored from then on.
 * @returns them by number, without clients that were deleted
 */
export async function loadDevices(
  { pool, parsers }: Pick<StreamContext, 'pool' | 'parsers'>,
  numbers: number[],
): Promise<Map<number, Device>> {
  const { rows } = await pool.query<DeviceRow>({
    name: 'stream-devices',
    text: `select client.number, client.id, client.tenant_id as "tenantId", tenant.number as "tenantNumber",
        client.provider_id as "providerId",
        coalesce(client.provider_data -> 'parser', provider.provider_data -> 'parser') as parser
      from provider_clients as client
      join tenants as tenant on tenant.id = client.tenant_id
      join providers as provider on provider.tenant_id = client.tenant_id and provider.id = client.provider_id
      where client.number = any($1::int[])`,
    values: [numbers],
  })
  return new Map(
    rows.map(({ parser, ...device }) => [device.number, { ...device, parse: parsers.ofStored(parser) }]),
  )
}
