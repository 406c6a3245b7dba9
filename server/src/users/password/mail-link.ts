/** Mails a user a link that sets a password, for whoever manages the user. [docs/sign-in#passwords] */
import { recordAudit } from '../../audit/record.ts'
import type { Caller } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import type { Runtime } from '../../runtime.ts'
import { getUserForUpdate } from '../store.ts'
import { addSendResetJob, hasIssuer } from './send-reset.ts'

type Mailing = Pick<Runtime, 'db' | 'config'>

/** @throws not_found; conflict if the user or the installation cannot have such a mail, with the reason */
export const mailLink = (ctx: Mailing, caller: Caller, userId: string): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    const user = await getUserForUpdate(tx, caller.tenantId, userId)
    if (user.disabled_at) throw new ApiError('conflict', 'This user is disabled. Enable the user first.')
    if (!user.email || !user.owns_email)
      throw new ApiError('conflict', 'This user has no email address that belongs to nobody else.')
    if (user.password_hash) requireMail(ctx)
    else await requireMailedLinks({ db: tx, config: ctx.config }, caller.tenantId)
    await addSendResetJob(tx, {
      email: user.email.toLowerCase(),
      isInvitation: true,
      tenantId: caller.tenantId,
    })
    const resourceId = user.id
    await recordAudit(tx, caller, { action: 'mail-password-link', resourceType: 'user', resourceId })
  })

/**
 * Requires that users without a password can be mailed a link.
 * @throws conflict if the installation sends no mail, or the tenant's users sign in at its issuer
 */
export async function requireMailedLinks(ctx: Mailing, tenantId: string): Promise<void> {
  requireMail(ctx)
  if (await hasIssuer(ctx, tenantId))
    throw new ApiError('conflict', 'Users of this tenant sign in at its OIDC issuer, so no link is mailed.')
}

/** @throws conflict if the installation sends no mail */
export function requireMail({ config }: Pick<Mailing, 'config'>): void {
  if (config.smtpUrl) return
  const message = 'This installation sends no mail: GANGWAY_SMTP_URL is not set.'
  throw new ApiError('conflict', message, { reason: 'mail_not_configured' })
}
