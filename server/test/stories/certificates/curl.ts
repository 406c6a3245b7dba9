/** curl and OpenSSL, as a device without any SDK. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { missingPrograms } from '../../harness/example-programs.ts'
import { execute } from './execute.ts'
import type { CertificateFiles, EstClient, EstTarget } from './est-client.ts'

const missing = missingPrograms(['curl'])

export const curl: EstClient = {
  name: 'curl and openssl',
  ...(missing.length > 0 && { missing: `${missing.join(' and ')} not installed` }),
  enroll: (target) =>
    request(target, {
      operation: 'simpleenroll',
      credentials: ['--user', `${target.deviceId}:${target.key}`],
    }),
  renew: (target, { certFile, keyFile }) =>
    request(target, { operation: 'simplereenroll', credentials: ['--cert', certFile, '--key', keyFile] }),
}

async function request(
  { estUrl, caFile, deviceId, directory }: EstTarget,
  { operation, credentials }: { operation: string; credentials: string[] },
): Promise<CertificateFiles> {
  const file = (name: string) => join(directory, `${operation}.${name}`)
  await execute('openssl', [
    'req',
    '-new',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-subj',
    `/CN=${deviceId}`,
    '-keyout',
    file('key'),
    '-outform',
    'DER',
    '-out',
    file('der'),
  ])
  await execute('openssl', ['base64', '-in', file('der'), '-out', file('csr')])
  const { stdout } = await execute('curl', [
    '--silent',
    '--show-error',
    '--fail-with-body',
    '--cacert',
    caFile,
    ...credentials,
    '--header',
    'Content-Type: application/pkcs10',
    '--header',
    'Content-Transfer-Encoding: base64',
    '--data-binary',
    `@${file('csr')}`,
    `${estUrl}/${operation}`,
  ])
  await writeFile(file('p7'), Buffer.from(stdout, 'base64'))
  await execute('openssl', [
    'pkcs7',
    '-inform',
    'DER',
    '-in',
    file('p7'),
    '-print_certs',
    '-out',
    file('pem'),
  ])
  return { certFile: file('pem'), keyFile: file('key') }
}
