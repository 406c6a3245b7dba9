import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Properties } from './merge-patch.ts'

/** Adds `$version`. No property can have this name, because names with `$` are refused. */
const withVersion = (properties: Properties, version: string | number): Properties => ({
  ...properties,
  $version: Number(version),
})

/** Returns the full desired state with `$version`, which is 0 before the first change. It is one primary key look-up. */
export async function getDesired(db: Kysely<Tables>, clientNumber: number): Promise<Properties> {
  const [desired] = await listDesired(db, [clientNumber])
  return desired!
}

/** Returns the desired state of several clients, in their order. */
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

/** Returns the reported properties with `$version`, which counts the reports. */
export async function getReported(db: Kysely<Tables>, clientNumber: number): Promise<Properties> {
  const row = await db
    .selectFrom('client_twins')
    .select(['reported', 'reported_version'])
    .where('client_number', '=', clientNumber)
    .executeTakeFirst()
  return withVersion(row?.reported ?? {}, row?.reported_version ?? 0)
}

/** Creates the client's twin with the first change. */
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
