/** Device ids are the prefix and four digits, so that ids of different prefixes never collide. */
export const listDeviceIds = (row: { device_id_prefix: string; device_count: number }): string[] =>
  Array.from(
    { length: row.device_count },
    (_, index) => `${row.device_id_prefix}${String(index + 1).padStart(4, '0')}`,
  )
