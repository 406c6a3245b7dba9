import type { Context } from '../context.ts'

/**
 * The URL of this server's API for links, without a trailing slash. It never comes from a request, whose Host header
 * the caller chooses.
 * @throws Error if the server does not listen yet and has no address
 */
export function publicUrl({ config, endpoints }: Pick<Context, 'config' | 'endpoints'>): string {
  const url = config.publicUrl ?? endpoints.http
  if (!url) throw new Error('The server has no address to put into links yet: it does not listen.')
  return url
}
