import type { Context } from '../../context.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** Returns the provider's id if the URL is one of this platform's own: its origin, and the path of a provider. */
export function localProviderId(
  ctx: Pick<Context, 'config' | 'endpoints'>,
  baseUrl: string,
): string | undefined {
  const url = new URL(baseUrl)
  const [, id] = /^(?:\/v1)?\/providers\/([\w.:;-]+)\/?$/.exec(url.pathname) ?? []
  return id !== undefined && ownAddresses(ctx).some((own) => isSameOrigin(new URL(own), url)) ? id : undefined
}

const ownAddresses = ({ config, endpoints }: Pick<Context, 'config' | 'endpoints'>) =>
  [config.publicUrl, endpoints.http, endpoints.https].filter((address) => address !== undefined)

/** The loopback names are equivalent. */
function isSameOrigin(own: URL, url: URL) {
  if (own.protocol !== url.protocol || own.port !== url.port) return false
  return own.hostname === url.hostname || (LOOPBACK.includes(own.hostname) && LOOPBACK.includes(url.hostname))
}
