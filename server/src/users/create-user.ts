import type { Kysely } from 'kysely'
import type { Static } from 'typebox'
import { hashPassword } from '../access/sign-in/passwords.ts'
import { countFailure, lockFailures, requireNoPause } from '../access/sign-in/failures.ts'
import { recordAudit } from '../audit/record.ts'
import type { Tables } from '../database/tables.ts'
import type { Caller } from '../http/access.ts'
import type { Runtime } from '../runtime.ts'
import { grantToCreator } from './grant-to-creator.ts'
import { requireMailedLinks } from './password/mail-link.ts'
import { addSendResetJob } from './password/send-reset.ts'
import { type CreateUser, userShape } from './schema.ts'
import { emailConflict, findUserByEmail, insertUserUnlessEmailTaken } from './store.ts'

/**
 * An email that a user of another tenant owns is refused, which reveals that somebody uses it. A tenant may try only a
 * few such emails an hour, so that nobody can probe a list of them.
 */
const FREE_FOREIGN_EMAILS = 20
const LONGEST_PAUSE_SECONDS = 900

/**
 * Without a password the user is mailed a link that sets it.
 * @throws conflict if another user of the installation owns the email, or if no link can be mailed; rate_limited after too
 * many such emails
 */
export async function createUser(
  ctx: Pick<Runtime, 'db' | 'config'>,
  caller: Caller,
  { displayName, email, password }: Static<typeof CreateUser>,
) {
  if (password === undefined) await requireMailedLinks(ctx, caller.tenantId)
  const passwordHash = password === undefined ? null : await hashPassword(password)
  const created = await ctx.db.transaction().execute(async (tx) => {
    const countForeignEmail = await requireFewForeignEmails(tx, caller.tenantId)
    const row = await insertUserUnlessEmailTaken(tx, caller.tenantId, { displayName, email, passwordHash })
    if (!row) {
      const owner = await findUserByEmail(tx, email)
      if (owner?.tenant_id !== caller.tenantId) await countForeignEmail()
      // The error is thrown after the commit, which keeps the counter.
      return undefined
    }
    const after = userShape(row)
    await grantToCreator(tx, caller, { type: 'user', id: after.id })
    await recordAudit(tx, caller, { action: 'create', resourceType: 'user', resourceId: after.id, after })
    if (password === undefined)
      await addSendResetJob(tx, { email: email.toLowerCase(), isInvitation: true, tenantId: caller.tenantId })
    return after
  })
  if (!created) throw emailConflict(email)
  return created
}

/** The lock serializes the creation of users in a tenant, so that concurrent requests cannot exceed the limit. */
async function requireFewForeignEmails(
  tx: Kysely<Tables>,
  tenantId: string,
): Promise<() => Promise<unknown>> {
  const key = `foreign-emails:${tenantId}`
  const counters = [{ key, free: FREE_FOREIGN_EMAILS, longestPauseSeconds: LONGEST_PAUSE_SECONDS }]
  const locked = await lockFailures(tx, counters)
  const at = new Date()
  const message = 'Too many emails of existing users were tried in this tenant. Wait, then try again.'
  requireNoPause(counters, locked, { at, message })
  return () => countFailure(tx, [key], at)
}
