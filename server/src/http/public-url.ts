import type { Context } from '../context.ts'

/**
 * Where this server's API is reached from outside, without a trailing slash. It never comes from a request, whose host
 * anybody can choose.
 * @throws Error before the server listens, when there is no address that a link could begin with
 */
export function publicUrl({ config, endpoints }: Pick<Context, 'config' | 'endpoints'>): string {
  const url = config.publicUrl ?? endpoints.http
  if (!url) throw new Error('The server has no address to put into links yet: it does not listen.')
  return url
}
