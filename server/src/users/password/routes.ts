/** The route by which users change their own password. */
import Type from 'typebox'
import { deleteApiTokensOfUser } from '../../access/api-tokens/store.ts'
import { hashPassword, verifyPassword } from '../../access/sign-in/passwords.ts'
import { revokeSignIns } from '../../access/sign-in/refresh-tokens.ts'
import { createPasswordCheck } from '../../access/sign-in/throttle.ts'
import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import { user } from '../../http/access.ts'
import { validationError } from '../../http/errors.ts'
import { route, type Route } from '../../http/route.ts'
import { clientNetwork } from '../../lib/client-network.ts'
import { KeepApiTokens, Password } from '../schema.ts'
import { getUser, updateUser } from '../store.ts'
import { deleteReset } from './reset-store.ts'

const ChangePassword = Type.Object({
  currentPassword: Type.String({ minLength: 1, maxLength: 1024 }),
  newPassword: Password,
  keepApiTokens: KeepApiTokens,
})

export const passwordRoutes = (ctx: Context, checkPassword = createPasswordCheck(ctx.db)): Route[] => [
  route({
    method: 'POST',
    url: '/v1/auth/password',
    operationId: 'changePassword',
    summary: "Change the caller's password; every other sign-in and every API token ends",
    access: user(),
    body: ChangePassword,
    response: { 204: null },
    handler: async ({ body, caller, request }) => {
      const { tenantId, userId } = caller
      const found = await getUser(ctx.db, tenantId, userId)
      // All tokens of the user share one counter, separate from that of failed logins by strangers.
      const network = clientNetwork(request.ip)
      const attempt = { email: found.email ?? userId, network, knownDevice: 'signed-in' }
      const isRight = () => verifyPassword(body.currentPassword, found.password_hash)
      if (!(await checkPassword(network, async () => ({ attempt, isRight }))))
        throw validationError({ path: 'currentPassword', message: 'is wrong' })
      const password_hash = await hashPassword(body.newPassword)
      await audited(
        ctx.db,
        { actor: caller, action: 'change-password', resourceType: 'user' },
        async (tx) => {
          await updateUser(tx, tenantId, userId, { password_hash })
          await revokeSignIns(tx, userId, caller.signInId)
          if (!body.keepApiTokens) await deleteApiTokensOfUser(tx, caller, userId)
          await deleteReset(tx, userId)
          return { resourceId: userId }
        },
      )
    },
  }),
]
