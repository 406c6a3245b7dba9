/** Reads GANGWAY_NATS_URL. */
import { list, type Parse } from './setting-values.ts'

export interface NatsUrl {
  /** `host:port` of each server that is tried. */
  addresses: string[]
  /** Whether the connection has to be encrypted. NATS may ask for it without that. */
  isTls: boolean
  user?: string
  password?: string
  /** In a URL with a user and no password, as NATS has it. */
  token?: string
}

const PROTOCOLS = ['nats:', 'tls:']
const FORM =
  'must be a URL that starts with nats:// or tls://, or several of one cluster, separated by commas'

/** One URL or several, separated by commas. The servers of a cluster have the same protocol, user and password. */
export const parseNatsUrl: Parse<NatsUrl> = (value) => {
  const urls = list(value).map(readUrl)
  const [first] = urls
  if (!first) throw new Error(FORM)
  const { username, password, protocol } = first
  if (
    urls.some(
      (url) => [url.protocol, url.username, url.password].join() !== [protocol, username, password].join(),
    )
  )
    throw new Error('must have the same protocol, user and password in every URL')
  const credentials = password
    ? { user: decodeURIComponent(username), password: decodeURIComponent(password) }
    : username && { token: decodeURIComponent(username) }
  return {
    addresses: urls.map(({ host }) => host),
    isTls: protocol === 'tls:',
    ...(credentials || undefined),
  }
}

function readUrl(value: string): URL {
  if (!URL.canParse(value)) throw new Error(FORM)
  const url = new URL(value)
  if (!PROTOCOLS.includes(url.protocol) || url.hostname === '') throw new Error(FORM)
  if (url.pathname.length > 1 || url.search || url.hash) throw new Error('must end with the port')
  return url
}
