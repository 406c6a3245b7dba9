/**
 * Deletes what a crash can leave: unfinished uploads, and files without a record. A file is stored before its record, so
 * only files older than a day are checked.
 */
import type { Context } from '../../context.ts'
import type { Tasks } from '../../jobs/jobs.ts'
import { isUuid } from '../../http/page.ts'
import { listKnownFileKeys } from '../store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const BATCH = 500

export const resourceTasks = (ctx: Context): Tasks => ({
  'sweep-files': () => sweepFiles(ctx),
})

/** @param before only older files are deleted */
export async function sweepFiles(
  ctx: Pick<Context, 'files' | 'db'>,
  before = new Date(Date.now() - DAY_MS),
): Promise<void> {
  await ctx.files.deleteUnfinished(before)
  let keys: string[] = []
  for await (const key of ctx.files.listOlder(before)) {
    // A bucket may contain files of other applications.
    if (!isUuid(key)) continue
    keys.push(key)
    if (keys.length === BATCH) await deleteUnknown(ctx, keys.splice(0))
  }
  await deleteUnknown(ctx, keys)
}

async function deleteUnknown({ files, db }: Pick<Context, 'files' | 'db'>, keys: string[]) {
  const known = await listKnownFileKeys(db, keys)
  for (const key of keys) if (!known.has(key)) await files.delete(key)
}
