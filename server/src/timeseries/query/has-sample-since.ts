import { type RawBuilder, sql } from 'kysely'
import { selectFormerSamples } from '../storage/former/select-former.ts'
import { selectPackedLast } from '../storage/packed/select-last.ts'
import { selectRows } from './selection.ts'

/**
 * Whether a row of `series`, by its alias in a statement, has a sample after a time. The hour that its stream knows mostly
 * answers this without reading rows, or within the rows of that hour.
 */
export function hasSampleSince(
  { tenantNumber, series }: { tenantNumber: number; series: string },
  since: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const column = (name: string) => sql.ref<number>(`${series}.${name}`)
  const after = sql`time > ${since}`
  const place = { tenantNumber, streamNumber: column('stream_number'), slot: column('slot') }
  const hourStart = sql`to_timestamp(last.hour * 3600.0)`
  return sql`(exists (
      select from (select last_hours[${place.slot}] as hour from streams where number = ${place.streamNumber}) last
      where ${hourStart} > ${since} - interval '1 hour' and (
        exists (${selectRows(place, sql`${after} and time >= ${hourStart}`)})
        or exists (${selectRows(place, sql`${after} and time < ${hourStart}`)}))
    ) or exists (${selectFormerSamples({ tenantNumber, number: column('number') }, after)})
    or exists (${selectPackedLast(place, { after: since })}))`
}
