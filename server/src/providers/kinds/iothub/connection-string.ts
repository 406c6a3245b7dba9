/** Reads a connection string of Azure: `HostName=my-hub.azure-devices.net;SharedAccessKeyName=iothubowner;SharedAccessKey=…` */
import { isIP } from 'node:net'
import { validationError } from '../../../http/errors.ts'

export interface HubConnection {
  /** Includes the port if one is given. */
  hostName: string
  keyName: string
  key: Buffer
}

const FIELDS = ['HostName', 'SharedAccessKeyName', 'SharedAccessKey']
const FORM = 'must read HostName=…;SharedAccessKeyName=…;SharedAccessKey=…'

/** @throws validation_error, which does not repeat the connection string */
export function parseConnectionString(text: string): HubConnection {
  const parts = new Map(text.split(';').map((part): [string, string] => [before(part), after(part)]))
  const [hostName = '', keyName = '', key = ''] = FIELDS.map((name) => parts.get(name))
  if (!/^[A-Za-z0-9][A-Za-z0-9.-]*(:\d{1,5})?$/.test(hostName) || !URL.canParse(`https://${hostName}`))
    throw invalid(`${FORM}, with the name of a host`)
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(keyName)) throw invalid(`${FORM}, with the name of a policy`)
  if (!/^[A-Za-z0-9+/]{16,}={0,2}$/.test(key)) throw invalid(`${FORM}, with a key in base64`)
  return { hostName, keyName, key: Buffer.from(key, 'base64') }
}

// Only the first = is a separator, because a key in base64 may end with = characters.
const before = (part: string) => part.split('=', 1)[0]!
const after = (part: string) => part.slice(before(part).length + 1)

const invalid = (message: string) => validationError({ path: 'connectionString', message })

/**
 * Returns an https URL, or http for a loopback address, which can only be a simulated hub. GANGWAY_OUTBOUND_ALLOW
 * decides whether loopback addresses may be called.
 */
export function baseUrl({ hostName }: HubConnection): string {
  const { hostname } = new URL(`https://${hostName}`)
  const isLoopback = hostname === 'localhost' || (isIP(hostname) === 4 && hostname.startsWith('127.'))
  return `${isLoopback ? 'http' : 'https'}://${hostName}`
}
