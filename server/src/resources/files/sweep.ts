/**
 * What a crash can leave: half an upload, a file whose record never came, and one whose record is gone already. A file is
 * there before its record, so only those that had a day to get one are looked at.
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

/** @param before only what is older goes */
export async function sweepFiles(
  ctx: Pick<Context, 'files' | 'db'>,
  before = new Date(Date.now() - DAY_MS),
): Promise<void> {
  await ctx.files.deleteUnfinished(before)
  let keys: string[] = []
  for await (const key of ctx.files.listOlder(before)) {
    // In a bucket there may be files of others.
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
