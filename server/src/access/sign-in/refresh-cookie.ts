/**
 * The refresh token of a browser is in a cookie that no script reads and that only pages of this server send.
 * [docs/sign-in#browsers]
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'

const COOKIE = 'gangway_refresh'
/** The routes that start, renew and end sign-ins. */
const PATH = '/v1/auth'

export const findRefreshCookie = ({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined =>
  new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1]

interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
}

export function setRefreshCookie(exchange: Exchange, refreshToken: string, expiresAt: Date): void {
  const seconds = Math.max(0, Math.round((expiresAt.getTime() - Date.now()) / 1000))
  writeCookie(exchange, refreshToken, seconds)
}

export const clearRefreshCookie = (exchange: Exchange): void => writeCookie(exchange, '', 0)

function writeCookie({ request, reply }: Exchange, value: string, maxAgeSeconds: number) {
  const secure = request.protocol === 'https' ? '; Secure' : ''
  reply.header(
    'set-cookie',
    `${COOKIE}=${value}; Path=${PATH}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`,
  )
}

/**
 * Refuses requests of other origins, which SameSite=Strict admits from other ports and sibling hosts. A client that is
 * no browser sends neither header.
 * @throws forbidden
 */
export function requireSameOrigin({ config }: Pick<Context, 'config'>, request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers
  const hosts = [request.host, config.publicUrl && new URL(config.publicUrl).host]
  // Browsers send Sec-Fetch-Site to secure addresses alone.
  const isSame = site === undefined ? !origin || hosts.includes(findHost(origin)) : site === 'same-origin'
  if (isSame) return
  throw new ApiError(
    'forbidden',
    'Sign-ins with a cookie are for pages of this server. Programs leave out `cookie` and send the refresh token in the body.',
  )
}

const findHost = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : '')
