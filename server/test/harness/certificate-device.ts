/**
 * A device with a certificate, and its connections to MQTT over TLS:
 *
 *     const device = await makeCertificateDevice(platform, group, 'pump-7')
 *     const connection = await connectWithCertificate(mqttsUrl, device)
 *     expect(connection).toMatchObject({ code: 0 })
 */
import { generateKeyPairSync } from 'node:crypto'
import { connect, type TLSSocket } from 'node:tls'
import { generate, type IConnectPacket, type Packet, parser } from 'mqtt-packet'
import type { Context } from '../../src/context.ts'
import type { DeviceCertificateRow } from '../../src/database/tables/certificates.ts'
import { issueCertificate } from './issue-certificate.ts'
import { toPem } from '../../src/onboarding/certificates/pem.ts'
import type { TestGroup } from './enrollment-group.ts'

export interface Credentials {
  /** PEM. */
  cert: string
  key: string
}

export interface CertificateDevice extends Credentials {
  id: string
  row: DeviceCertificateRow
}

interface Enrolment {
  groupId: string
  deviceId: string
  tenantId?: string
  validityDays?: number
}

/** Issues a certificate to a device, whether the device exists or not. */
export async function enrol(
  ctx: Context,
  { groupId, deviceId, tenantId = 'default', validityDays = 90 }: Enrolment,
): Promise<CertificateDevice> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const row = await issueCertificate(ctx, {
    tenantId,
    groupId,
    deviceId,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    requestFingerprint: null,
    tier: 1,
    validityDays,
  })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  return { id: deviceId, row, key, cert: toPem(row.certificate) }
}

/** Adds a device to the group, provisions it, and issues a certificate to it. */
export async function makeCertificateDevice(
  ctx: Context,
  group: TestGroup,
  deviceId: string,
): Promise<CertificateDevice> {
  for (const answer of [await group.add(deviceId), await group.provision(deviceId)])
    if (answer.status >= 300) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return enrol(ctx, { groupId: group.groupId, deviceId })
}

export interface CertificateConnection {
  /** The code in CONNACK; undefined if the connection ended without one. */
  code: number | undefined
  /** The reason string of CONNACK. */
  reason: string | undefined
  /** The TLS session, with which a later connection can resume. */
  session: Buffer | undefined
  isResumed: boolean
  socket: TLSSocket
  /** DISCONNECT of the server, once the connection has ended. */
  ended: Promise<{ code: number | undefined; reason: string | undefined }>
}

interface ConnectOptions {
  connect?: Partial<IConnectPacket>
  session?: Buffer | undefined
  maxVersion?: 'TLSv1.2' | 'TLSv1.3'
}

/** Connects with MQTT 5 without user name and password. @param credentials undefined to show no certificate */
export async function connectWithCertificate(
  mqttsUrl: string,
  credentials: Credentials | undefined,
  { connect: fields, session, maxVersion = 'TLSv1.3' }: ConnectOptions = {},
): Promise<CertificateConnection> {
  const { hostname: host, port } = new URL(mqttsUrl)
  const { cert, key } = credentials ?? {}
  const socket = connect({
    host,
    port: Number(port),
    cert,
    key,
    session,
    maxVersion,
    rejectUnauthorized: false,
  })
  const packets: Packet[] = []
  const reader = parser({ protocolVersion: 5 })
  reader.on('packet', (packet) => void packets.push(packet))
  let newSession: Buffer | undefined
  socket.on('session', (given) => (newSession = given))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      reader.parse(chunk)
      resolve()
    })
  })
  await new Promise<void>((resolve) => {
    socket.once('secureConnect', () => resolve())
    void closed.then(resolve)
  })
  socket.write(generate({ ...connectPacket, ...fields }, { protocolVersion: 5 }))
  await Promise.race([answered, closed])
  const connack = packets.find((packet) => packet.cmd === 'connack')
  return {
    code: connack?.reasonCode,
    reason: connack?.properties?.reasonString,
    session: newSession,
    isResumed: socket.isSessionReused(),
    socket,
    ended: closed.then(() => {
      const disconnect = packets.find((packet) => packet.cmd === 'disconnect')
      return { code: disconnect?.reasonCode, reason: disconnect?.properties?.reasonString }
    }),
  }
}

const connectPacket: IConnectPacket = {
  cmd: 'connect',
  protocolId: 'MQTT',
  protocolVersion: 5,
  clientId: 'certificate-device',
  clean: true,
  keepalive: 60,
}
