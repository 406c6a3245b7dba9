/** `pki` of strongSwan, an EST client that others wrote. Debian: strongswan-pki, libstrongswan-extra-plugins. */
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execute } from './execute.ts'
import type { CertificateFiles, EstClient, EstTarget } from './est-client.ts'

const { stdout } = spawnSync('pki', ['--help'], { encoding: 'utf8' })
const missing = ['--est ', 'openssl', 'curl'].filter((part) => !stdout?.includes(part))

export const strongSwan: EstClient = {
  name: 'strongSwan pki --est',
  ...(missing.length > 0 && {
    missing: stdout ? `pki has no ${missing.join(' and no ')}` : 'strongswan-pki not installed',
  }),
  enroll: (target) =>
    request(target, { operation: 'first', credentials: ['--userpass', `${target.deviceId}:${target.key}`] }),
  renew: (target, { certFile, keyFile }) =>
    request(target, { operation: 'renewed', credentials: ['--cert', certFile, '--key', keyFile] }),
}

async function request(
  { estUrl, caFile, deviceId, directory }: EstTarget,
  { operation, credentials }: { operation: string; credentials: string[] },
): Promise<CertificateFiles> {
  const file = (name: string) => join(directory, `${operation}.${name}`)
  const key = await execute('pki', ['--gen', '--type', 'ecdsa', '--size', '256', '--outform', 'pem'])
  await writeFile(file('key'), key.stdout, { mode: 0o600 })
  const dn = ['--dn', `CN=${deviceId}`]
  const csr = await execute('pki', [
    '--req',
    '--in',
    file('key'),
    '--type',
    'ecdsa',
    ...dn,
    '--outform',
    'pem',
  ])
  await writeFile(file('csr'), csr.stdout)
  // It adds the path, which then has no enrollment group: the credentials say which one it is.
  const url = new URL(estUrl).origin
  const issued = await execute('pki', [
    '--est',
    '--url',
    url,
    '--in',
    file('csr'),
    '--cacert',
    caFile,
    ...credentials,
    '--outform',
    'pem',
  ])
  await writeFile(file('pem'), issued.stdout)
  return { certFile: file('pem'), keyFile: file('key') }
}
