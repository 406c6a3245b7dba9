import type pg from 'pg'
import type { DeletedSeries } from '../../assets/records/remove-asset.ts'
import { deleteFormerSamples } from './former/delete-former.ts'
import { deletePackedStreams } from './packed/delete-packed.ts'
import { deleteRowsOfStreams } from './partitions.ts'

/** Deletes the samples of series that are deleted already, a limited number at a time, since nobody waits for this. */
export async function deleteSamples(
  pool: pg.Pool,
  { tenantNumber, seriesNumbers, streamNumbers = [] }: DeletedSeries,
): Promise<void> {
  await deleteRowsOfStreams(pool, tenantNumber, streamNumbers)
  await deletePackedStreams(pool, tenantNumber, streamNumbers)
  await deleteFormerSamples(pool, tenantNumber, seriesNumbers)
}
