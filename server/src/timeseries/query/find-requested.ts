/** Finds what a question about history names, while it is not known yet whether the caller may view it. */
import { selectTogether } from '../../database/select-together.ts'
import type { Caller } from '../../http/access.ts'
import { readSeries, type Series, type SeriesRow, selectSeriesNamed } from '../storage/series.ts'
import { selectBinding } from './bound-series.ts'
import {
  type FoundOwners,
  type OwnersRow,
  groupOwners,
  selectOwners,
  type TimeseriesContext,
} from './owner.ts'
import { type LastKept, readRolledUpBefore, selectLastKept } from './rolled-up-before.ts'

interface Requested {
  owners: FoundOwners
  /** The series of those names of assets and provider clients with the ids, whether these exist or not. */
  series: Series[]
  /** Whether an asset may bind a signal of a provider client with one of the ids. */
  mayBeBound: boolean
  rolledUpBeforeMs: number | undefined
}

export async function findRequested(
  { db }: Pick<TimeseriesContext, 'db'>,
  caller: Caller,
  { ids, names }: { ids: string[]; names: string[] },
): Promise<Requested> {
  const { tenantNumber } = caller
  const possibleOwners = [...new Set(ids)].flatMap((ownerId) =>
    (['asset', 'client'] as const).map((ownerType) => ({ tenantNumber, ownerType, ownerId })),
  )
  const found = await selectTogether<{
    owners: OwnersRow
    series: SeriesRow
    bindings: object
    lastKept: LastKept
  }>(db, 'requested-history', {
    owners: selectOwners(caller, ids),
    series: selectSeriesNamed(possibleOwners, names),
    bindings: selectBinding(caller, ids),
    lastKept: selectLastKept(tenantNumber),
  })
  return {
    owners: groupOwners(found.owners, caller),
    series: found.series.map(readSeries),
    mayBeBound: found.bindings.length > 0,
    rolledUpBeforeMs: readRolledUpBefore(found.lastKept),
  }
}
