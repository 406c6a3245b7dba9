/**
 * The certificate of MQTT over TLS and of HTTPS: the operator's own, or one of a local authority that is created at the first
 * start, so that TLS works out of the box and devices need only one `ca.crt` to trust.
 */
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'
import * as x509 from '@peculiar/x509'
import ipaddr from 'ipaddr.js'
import type { Config } from '../config.ts'
import { CertificateError, loadGivenCertificate, type ServerCertificate } from './given-certificate.ts'

type CertificateConfig = Pick<Config, 'dataDir' | 'publicUrl' | 'tlsNames' | 'mqttsCertFile' | 'mqttsKeyFile'>

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 24 * 3600 * 1000
const AUTHORITY_DAYS = 3650
const SERVER_DAYS = 397
const RENEW_DAYS_BEFORE = 30

/** The certificate of the local authority, in PEM: what a device has to trust. */
export const authorityFile = (dataDir: string) => join(dataDir, 'tls', 'ca.crt')

/** Loads the certificate, or issues one if it is missing, expires soon or lacks one of the server's names. */
export async function loadServerCertificate(config: CertificateConfig): Promise<ServerCertificate> {
  const { mqttsCertFile, mqttsKeyFile } = config
  if (mqttsCertFile && mqttsKeyFile) return loadGivenCertificate(mqttsCertFile, mqttsKeyFile)
  const directory = join(config.dataDir, 'tls')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const authority = await loadAuthority(directory)
  const names = certificateNames(config)
  const kept = await readPair(directory, 'server')
  if (kept && (await isGood(kept.certificate, names, authority.certificate))) return pemOf(kept, authority)
  const fresh = await issue(authority, names)
  await writePair(directory, 'server', fresh)
  return pemOf(fresh, authority)
}

interface Pair {
  certificate: x509.X509Certificate
  key: webcrypto.CryptoKey
}

async function loadAuthority(directory: string): Promise<Pair> {
  const kept = await readPair(directory, 'ca')
  if (kept && expiresLater(kept.certificate, SERVER_DAYS)) return kept
  const keys = await makeKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Gangway local CA',
    ...validFor(AUTHORITY_DAYS),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const pair = { certificate, key: keys.privateKey }
  await writePair(directory, 'ca', pair)
  return pair
}

async function issue(authority: Pair, names: string[]): Promise<Pair> {
  const keys = await makeKeys()
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=Gangway server',
    issuer: authority.certificate.subject,
    ...validFor(SERVER_DAYS),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: authority.key,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(authority.certificate.publicKey),
    ],
  })
  return { certificate, key: keys.privateKey }
}

const makeKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

const validFor = (days: number) => ({
  // The clocks of devices may be slow.
  notBefore: new Date(Date.now() - DAY_MS),
  notAfter: new Date(Date.now() + days * DAY_MS),
})

/** The names and addresses under which devices reach this machine, so that they can verify the server. */
function certificateNames({
  publicUrl,
  tlsNames,
}: Pick<CertificateConfig, 'publicUrl' | 'tlsNames'>): string[] {
  const publicHost = publicUrl && new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
  const names = ['localhost', '127.0.0.1', '::1', hostname(), ...machineAddresses(), ...tlsNames]
  return [...new Set([...names, ...(publicHost ? [publicHost] : [])].map(canonicalName))]
}

/** An IPv6 address has many spellings. */
const canonicalName = (name: string) => (isIP(name) ? ipaddr.parse(name).toString() : name)

/** A machine with many containers has an interface for each, and a certificate has to stay small. */
const MAX_ADDRESSES = 50

/** Lists the machine's addresses without link-local ones, which mean another machine on each network. */
function machineAddresses(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return addresses
    .filter(({ internal, address }) => !internal && ipaddr.process(address).range() !== 'linkLocal')
    .map(({ address }) => address)
    .slice(0, MAX_ADDRESSES)
}

async function isGood(certificate: x509.X509Certificate, names: string[], authority: x509.X509Certificate) {
  const named = certificate
    .getExtension(x509.SubjectAlternativeNameExtension)
    ?.names.items.map(({ value }) => canonicalName(value))
  return (
    (await certificate.verify({ publicKey: authority.publicKey, signatureOnly: true })) &&
    expiresLater(certificate, RENEW_DAYS_BEFORE) &&
    names.every((name) => named?.includes(name))
  )
}

const expiresLater = ({ notAfter }: x509.X509Certificate, days: number) =>
  notAfter.getTime() > Date.now() + days * DAY_MS

const keyPem = async (key: webcrypto.CryptoKey) =>
  x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')

const pemOf = async (server: Pair, authority: Pair): Promise<ServerCertificate> => ({
  cert: `${server.certificate.toString('pem')}\n${authority.certificate.toString('pem')}\n`,
  key: await keyPem(server.key),
})

async function readPair(directory: string, name: string): Promise<Pair | undefined> {
  try {
    const [certificate, key] = await Promise.all([
      readFile(join(directory, `${name}.crt`), 'utf8'),
      readFile(join(directory, `${name}.key`), 'utf8'),
    ])
    const der = x509.PemConverter.decodeFirst(key)
    return {
      certificate: new x509.X509Certificate(certificate),
      key: await webcrypto.subtle.importKey('pkcs8', der, algorithm, true, ['sign']),
    }
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw new CertificateError(
      `${join(directory, name)}.crt or .key cannot be used (${(error as Error).message}). Put back copies of both, or remove both, and new ones are made: devices then need the new ca.crt.`,
      { cause: error },
    )
  }
}

/** The key is written first, because a certificate is used only together with its key. */
async function writePair(directory: string, name: string, { certificate, key }: Pair): Promise<void> {
  await replaceFile(join(directory, `${name}.key`), await keyPem(key), 0o600)
  await replaceFile(join(directory, `${name}.crt`), certificate.toString('pem'), 0o644)
}

/** Replaces the file atomically. */
async function replaceFile(path: string, text: string, mode: number) {
  await writeFile(`${path}.new`, text, { mode })
  await rename(`${path}.new`, path)
}
