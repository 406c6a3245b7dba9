/** Certificate requests made by OpenSSL, also such as are refused. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execute } from './execute.ts'

export interface RequestOptions {
  /** CN */
  deviceId: string
  /** Options of `openssl req` for the new key. Default: EC P-256. */
  newKey?: string[]
  /** Such as `sha256`. */
  digest?: string
  /** Such as `DNS:pump-8`. */
  alternativeNames?: string[]
}

export interface MadeRequest {
  /** PKCS #10, DER. */
  der: Buffer
  /** PEM */
  key: string
}

const EC_P256 = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

export async function makeRequest(options: RequestOptions): Promise<MadeRequest> {
  const { deviceId, newKey = EC_P256, digest = 'sha256', alternativeNames = [] } = options
  const directory = await mkdtemp(join(tmpdir(), 'gangway-request-'))
  try {
    const [der, key] = [join(directory, 'der'), join(directory, 'key')]
    const names =
      alternativeNames.length > 0 ? ['-addext', `subjectAltName=${alternativeNames.join(',')}`] : []
    await execute('openssl', [
      'req',
      '-new',
      ...newKey,
      '-nodes',
      `-${digest}`,
      '-subj',
      `/CN=${deviceId}`,
      ...names,
      '-keyout',
      key,
      '-outform',
      'DER',
      '-out',
      der,
    ])
    return { der: await readFile(der), key: await readFile(key, 'utf8') }
  } finally {
    await rm(directory, { recursive: true })
  }
}
