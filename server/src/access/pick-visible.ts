import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import { listWithin } from './decisions/list-resources.ts'
import { queriesIn } from './decisions/queries.ts'
import { findCallerReach, isTypeWithinToken } from './require.ts'
import type { ResourceType } from './schema.ts'

/** Picks those of the objects that the caller may view. */
export const pickVisible = async (
  db: Kysely<Tables>,
  caller: Caller,
  type: ResourceType,
  ids: string[],
): Promise<string[]> =>
  isTypeWithinToken(caller, type, 'view')
    ? listWithin(db, await findCallerReach({ pool: queriesIn(db) }, caller, type), ids)
    : []
