/** A database has this table while a backup is restored, so that an interrupted restore is recognized. */
import type pg from 'pg'

export const unfinishedRestore = 'public.unfinished_restore'

class UnfinishedRestoreError extends Error {
  override name = 'UnfinishedRestoreError'
}

/** @throws UnfinishedRestoreError */
export async function refuseUnfinishedRestore(pool: pg.Pool | pg.ClientBase): Promise<void> {
  if (await hasUnfinishedRestore(pool))
    throw new UnfinishedRestoreError(
      'A restore of this database was interrupted, so the database is not complete. Restore it again: npm run restore -- FILE.',
    )
}

export async function hasUnfinishedRestore(client: pg.Pool | pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query('select to_regclass($1) is not null as found', [unfinishedRestore])
  return rows[0].found
}
