/** Address of the tiles of a map, such as `https://tiles.example.com/{z}/{x}/{y}.png`. */
export interface TileTemplate {
  /** With `{z}`, `{x}` and `{y}`. */
  address: string
  /** Such as `https://tiles.example.com`; nothing in it could end a directive of a policy. */
  origin: string
}

const LONGEST = 2000
const LOOPBACK = ['localhost', '127.0.0.1']

/** @throws Error with what is wrong */
export function parseTileTemplate(text: string): TileTemplate {
  const example = 'https://tiles.example.com/{z}/{x}/{y}.png'
  if (text.length > LONGEST) throw new Error(`must have at most ${LONGEST} characters`)
  const isWhole = ['{z}', '{x}', '{y}'].every((name) => text.split(name).length === 2)
  const rest = text.replace('{z}', '0').replace('{x}', '0').replace('{y}', '0')
  if (!isWhole || /[{}]/.test(rest))
    throw new Error(`must have {z}, {x} and {y} once each, and no other: ${example}`)
  if (/\s/.test(text) || !URL.canParse(rest)) throw new Error(`must be a URL like ${example}`)
  const { protocol, hostname, origin, username, password } = new URL(rest)
  if (protocol !== 'https:' && !(protocol === 'http:' && LOOPBACK.includes(hostname)))
    throw new Error('must start with https://, or http:// on this machine')
  if (username !== '' || password !== '')
    throw new Error('must not have credentials: every browser would see them')
  // A policy knows neither other characters nor addresses of IPv6.
  if (!/^[a-z0-9.-]+$/.test(hostname))
    throw new Error('must name its host in letters, digits, points and hyphens')
  if (/[{}]/.test(text.slice(0, text.indexOf('/', text.indexOf('://') + 3))))
    throw new Error('must have {z}, {x} and {y} behind its host')
  return { address: text, origin }
}
