/**
 * A browser that has signed in before has a cookie. The cookie does not sign anybody in; it only separates wrong
 * passwords from that browser from those of strangers.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'

const COOKIE = 'gangway_device'
const PURPOSE = 'device'
const LIFETIME_SECONDS = 365 * 86_400

/** @returns the id of the browser if this user has signed in with it before */
export async function findKnownDevice(
  { accessTokens }: Pick<Context, 'accessTokens'>,
  request: FastifyRequest,
  userId: string,
): Promise<string | undefined> {
  const token = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w.-]+)`).exec(request.headers.cookie ?? '')?.[1]
  const claims = token && (await accessTokens.verifyFor(PURPOSE, token))
  return claims && claims.sub === userId ? claims.jti : undefined
}

export async function rememberDevice(
  { accessTokens }: Pick<Context, 'accessTokens'>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  userId: string,
): Promise<void> {
  if (await findKnownDevice({ accessTokens }, request, userId)) return
  const token = await accessTokens.issueFor(PURPOSE, { sub: userId }, LIFETIME_SECONDS)
  const secure = request.protocol === 'https' ? '; Secure' : ''
  reply.header(
    'set-cookie',
    `${COOKIE}=${token}; Path=/; Max-Age=${LIFETIME_SECONDS}; HttpOnly; SameSite=Strict${secure}`,
  )
}
