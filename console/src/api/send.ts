import { connect } from '@gangway/client'
import type { Send } from '../session/session.ts'

/** Sends the requests that open, renew and end a sign-in, which no renewal may repeat. */
export const send: Send = async (path, body, { method = 'POST', accessToken } = {}) => {
  const client = connect({ url: '', token: accessToken ?? '' })
  const call = client[method === 'GET' ? 'get' : 'post'] as (
    path: string,
    options: object,
  ) => Promise<unknown>
  return call(path, { body, ...(accessToken && { headers: { authorization: `Bearer ${accessToken}` } }) })
}
