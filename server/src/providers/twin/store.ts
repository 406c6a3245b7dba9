import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Properties } from './merge-patch.ts'

/** As devices and people read it. A property of that name cannot be set, and so cannot hide it. */
const withVersion = (properties: Properties, version: string | number): Properties => ({
  ...properties,
  $version: Number(version),
})

/** The full desired state with `$version`, which is 0 before anything was set. One look-up by primary key. */
export async function getDesired(db: Kysely<Tables>, clientNumber: number): Promise<Properties> {
  const [desired] = await listDesired(db, [clientNumber])
  return desired!
}

/** The same for many clients. @returns in the clients' order */
export async function listDesired(db: Kysely<Tables>, clientNumbers: number[]): Promise<Properties[]> {
  const rows = await db
    .selectFrom('client_twins')
    .select(['client_number', 'desired', 'desired_version'])
    .where('client_number', '=', (eb) => eb.fn.any(eb.val(clientNumbers)))
    .execute()
  const byNumber = new Map(rows.map((row) => [row.client_number, row]))
  return clientNumbers.map((number) => {
    const row = byNumber.get(number)
    return withVersion(row?.desired ?? {}, row?.desired_version ?? 0)
  })
}

/** What the device last reported, with `$version`, which counts its reports. */
export async function getReported(db: Kysely<Tables>, clientNumber: number): Promise<Properties> {
  const row = await db
    .selectFrom('client_twins')
    .select(['reported', 'reported_version'])
    .where('client_number', '=', clientNumber)
    .executeTakeFirst()
  return withVersion(row?.reported ?? {}, row?.reported_version ?? 0)
}

/** A client's twin comes into being with its first change. */
export async function updateDesired(
  tx: Kysely<Tables>,
  clientNumber: number,
  properties: Properties,
  version: number,
): Promise<void> {
  const changes = { desired: JSON.stringify(properties), desired_version: version, desired_at: new Date() }
  await tx
    .insertInto('client_twins')
    .values({ client_number: clientNumber, ...changes })
    .onConflict((oc) => oc.column('client_number').doUpdateSet(changes))
    .execute()
}
