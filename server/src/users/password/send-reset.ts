/** Mails a link that sets a new password. The token is created here and appears only in the mail. */
import type { Kysely } from 'kysely'
import type { Context } from '../../context.ts'
import { publicUrl } from '../../http/public-url.ts'
import type { Tables } from '../../database/tables.ts'
import type { Tasks } from '../../jobs/jobs.ts'
import { addJob } from '../../jobs/add-job.ts'
import { sendingTask, type SendOutcome } from '../../jobs/receiver.ts'
import { findUserByEmail } from '../store.ts'
import { deleteUnsentReset, insertReset } from './reset-store.ts'

const SEND_RESET = 'send-password-reset'
/** Invited people read their mail later than those who have just asked for a link. */
const INVITATION_SECONDS = 3 * 86_400

interface LinkRequest {
  email: string
  /** Whether somebody else has sent for the link, for a user who has no password yet or has lost it. */
  isInvitation?: boolean
  /** The tenant that sends an invitation; anybody may ask for a reset. */
  tenantId?: string
}

export const passwordTasks = (ctx: Context): Tasks => ({
  [SEND_RESET]: sendingTask((payload) => sendReset(ctx, payload as LinkRequest)),
})

/** Adds a job for any email, without checking whether a user has it. */
export const addSendResetJob = (db: Kysely<Tables>, request: LinkRequest): Promise<void> =>
  addJob(db, SEND_RESET, request, {
    // A reset that anybody may ask for takes no invitation's place.
    key: `password-${request.isInvitation ? 'invitation' : 'reset'}:${request.email}`,
    receiver: { kind: 'email', id: 'configured', ...(request.tenantId && { tenantId: request.tenantId }) },
  })

/** Users who sign in at the tenant's issuer and disabled users get no mail. */
async function sendReset(ctx: Context, { email, isInvitation = false }: LinkRequest): Promise<SendOutcome> {
  const user = await findUserByEmail(ctx.db, email)
  if (!user?.email || user.disabled_at) return 'not_asked'
  if (!user.password_hash && (await hasIssuer(ctx, user.tenant_id))) return 'not_asked'
  // Whoever sends an invitation manages the user, and was told that it is on its way.
  const invited = { lifetimeSeconds: INVITATION_SECONDS, isPaused: false }
  const token = await insertReset(ctx.db, user.id, isInvitation ? invited : {})
  if (!token) return 'not_asked'
  try {
    const state = await ctx.mailer.send({
      to: user.email,
      subject: isInvitation ? 'Set your password' : 'Set a new password',
      text: (isInvitation ? invitation : reset)(user.display_name, resetLink(ctx, token)),
    })
    return state === 'sent' ? 'answered' : 'not_asked'
  } catch (error) {
    // The next attempt creates another token.
    await deleteUnsentReset(ctx.db, token)
    throw error
  }
}

/** When the issuer is removed, its users need a password. */
export async function hasIssuer({ db }: Pick<Context, 'db'>, tenantId: string): Promise<boolean> {
  const tenant = await db
    .selectFrom('tenants')
    .select('oidc_issuer')
    .where('id', '=', tenantId)
    .executeTakeFirstOrThrow()
  return tenant.oidc_issuer !== null
}

/** The fragment after `#` is not sent to servers, so it appears neither in logs nor in referrers. */
const resetLink = (ctx: Context, token: string) => `${publicUrl(ctx)}/console/reset-password#token=${token}`

const reset = (name: string, link: string) => `Hello ${name},

somebody, probably you, asked to set a new password for your account. This link works once, within an hour:

${link}

If it was not you, there is nothing to do: your password stays as it is.
`

const invitation = (name: string, link: string) => `Hello ${name},

an administrator invites you to choose the password of your account. This link works once, within three days:

${link}

Then sign in with this email address. If you expected no such mail, there is nothing to do.
`
