/** Routes that reset a forgotten password by a mailed link. */
import Type from 'typebox'
import { deleteApiTokensOfUser } from '../../access/api-tokens/store.ts'
import { hashPassword } from '../../access/sign-in/passwords.ts'
import { revokeSignIns } from '../../access/sign-in/refresh-tokens.ts'
import { rememberDevice } from '../../access/sign-in/known-device.ts'
import { clearFailures } from '../../access/sign-in/throttle.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { open } from '../../http/access.ts'
import { unauthorized } from '../../http/errors.ts'
import { route, type Route } from '../../http/route.ts'
import { clientNetwork } from '../../lib/client-network.ts'
import { Email, KeepApiTokens, Password } from '../schema.ts'
import { updateUser } from '../store.ts'
import { requireMail } from './mail-link.ts'
import { consumeReset } from './reset-store.ts'
import { addSendResetJob } from './send-reset.ts'

const RequestReset = Type.Object({ email: Email })
const ConfirmReset = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 256 }),
  newPassword: Password,
  keepApiTokens: KeepApiTokens,
})

export const passwordResetRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/auth/password-reset',
    operationId: 'requestPasswordReset',
    summary: 'Send a link that sets a new password; the answer is the same if there is no such user',
    access: open(),
    body: RequestReset,
    response: { 202: null },
    refuses: [409],
    handler: async ({ body }) => {
      // The same answer for every address, so that it reveals no user.
      requireMail(ctx)
      // The job looks up the user, so that the time of the answer does not reveal whether there is one.
      const email = body.email.toLowerCase()
      await addSendResetJob(ctx.db, { email })
    },
  }),
  route({
    method: 'POST',
    url: '/v1/auth/password-reset/confirm',
    operationId: 'confirmPasswordReset',
    summary: 'Set a new password with the token of a mailed link; every sign-in and every API token ends',
    access: open(),
    body: ConfirmReset,
    response: { 204: null },
    refuses: [401],
    handler: ({ body, request, reply }) =>
      ctx.db.transaction().execute(async (tx) => {
        const user = await consumeReset(tx, body.token)
        if (!user) throw unauthorized('The link was used or has expired. Ask for a new one.')
        const { id: userId, tenant_id: tenantId } = user
        await updateUser(tx, tenantId, userId, { password_hash: await hashPassword(body.newPassword) })
        await revokeSignIns(tx, userId)
        await clearFailures(tx, { email: user.email!, network: clientNetwork(request.ip) })
        await rememberDevice(ctx, { request, reply }, userId)
        const actor = { tenantId, userId, requestId: request.id }
        if (!body.keepApiTokens) await deleteApiTokensOfUser(tx, actor, userId)
        await recordAudit(tx, actor, { action: 'reset-password', resourceType: 'user', resourceId: userId })
      }),
  }),
]
