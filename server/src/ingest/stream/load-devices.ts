import { deviceColumns, type DeviceRow, deviceTables, readDevice } from '../device-rows.ts'
import type { Device } from '../message.ts'
import type { StreamContext } from './state.ts'

/**
 * Reads the senders of a batch as they are now: a parser that was changed reads what is stored from then on.
 * @returns them by number, without clients that were deleted
 */
export async function loadDevices(
  ctx: Pick<StreamContext, 'pool' | 'parsers'>,
  numbers: number[],
): Promise<Map<number, Device>> {
  const { rows } = await ctx.pool.query<DeviceRow>({
    name: 'stream-devices',
    text: `select ${deviceColumns} from ${deviceTables} where client.number = any($1::int[])`,
    values: [numbers],
  })
  return new Map(rows.map((row) => [row.number, readDevice(ctx, row)]))
}
