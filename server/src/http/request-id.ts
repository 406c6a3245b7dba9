/** Assigns an id to each request, which leads from a response to its log entries. [docs/api#request-ids] */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export const REQUEST_ID = 'x-request-id'

/** Accepts ids of proxies and tracers, such as UUIDs and base64; other text could imitate parts of a log entry. */
const acceptable = /^[\w.:+/=-]{1,128}$/

/**
 * @returns the id set by the caller or a proxy, or a new one: a random prefix and a counter, which is cheap enough for
 * every request
 */
export function createRequestIds(): (request: Pick<IncomingMessage, 'headers'>) => string {
  const prefix = randomBytes(8).toString('hex')
  let count = 0
  return ({ headers }) => {
    const given = headers[REQUEST_ID]
    return typeof given === 'string' && acceptable.test(given) ? given : `${prefix}-${(count++).toString(36)}`
  }
}
