/** A platform with an enrollment group that trusts a manufacturer, and requests to it over TLS. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Platform, startPlatform } from '../../harness/platform.ts'
import { type CertificateGroup, makeCertificateGroup } from './certificate-group.ts'
import { makeRequest, type RequestOptions } from './certificate-request.ts'
import { type EstAnswer, type EstMessage, readIssued, sendEst } from './est-request.ts'
import { type Holder, type HolderOptions, makeHolder } from './manufacturer.ts'

export interface EstWorld extends AsyncDisposable {
  platform: Platform
  group: CertificateGroup
  /** Authority of the manufacturer, which the group trusts. */
  maker: Holder
  /** Intermediate authority of the manufacturer. */
  line: Holder
  makeGroup(): Promise<CertificateGroup>
  /** Registers a device with a new id. */
  addDevice(): Promise<string>
  /** @param to the operation, and the group if it is another one */
  send(message: EstMessage, to?: { operation?: string; group?: CertificateGroup }): Promise<EstAnswer>
  /** Enrolls with the bootstrap key. */
  enroll(deviceId: string, request?: Partial<RequestOptions>): Promise<EstAnswer>
  /** Enrolls with the bootstrap key. @returns certificate and key, PEM */
  obtain(deviceId: string): Promise<{ cert: string; key: string }>
  /**
   * Enrolls with a certificate of the manufacturer.
   * @param chain what the device sends along
   */
  enrollWith(holder: HolderOptions, chain?: Holder[], deviceId?: string): Promise<EstAnswer>
  /** Revokes all certificates of the device. */
  revoke(deviceId: string): Promise<void>
  certificatesOf(deviceId: string): Promise<{ serial_number: string }[]>
}

export async function startEstWorld(): Promise<EstWorld> {
  const platform = await startPlatform()
  const { http, https } = platform.ctx.endpoints
  const ca = await readFile(join(platform.ctx.config.dataDir, 'tls', 'ca.crt'))
  const addresses = { http: http!, https: https!.replace('127.0.0.1', 'localhost'), mqttPort: 1883 }
  const makeGroup = () => makeCertificateGroup(platform.request, platform.adminToken, addresses)
  const maker = await makeHolder({ name: 'Maker root', isAuthority: true })
  let made = 0
  const world: EstWorld = {
    platform,
    group: await makeGroup(),
    maker,
    line: await makeHolder({ name: 'Maker line 1', issuer: maker, isAuthority: true }),
    makeGroup,
    async addDevice() {
      const deviceId = `pump-${++made}`
      await world.group.addDevice(deviceId)
      return deviceId
    },
    send: (message, { operation = 'simpleenroll', group = world.group } = {}) =>
      sendEst(`${group.estUrl}/${operation}`, ca, message),
    async enroll(deviceId, request) {
      const { der } = await makeRequest({ deviceId, ...request })
      return world.send({ body: der.toString('base64'), ...basic(world.group, deviceId) })
    },
    async obtain(deviceId) {
      const { der, key } = await makeRequest({ deviceId })
      const answer = await world.send({ body: der.toString('base64'), ...basic(world.group, deviceId) })
      return { cert: readIssued(answer).toString(), key }
    },
    async enrollWith(holder, chain = [], deviceId = holder.name) {
      const { cert, key } = await makeHolder(holder)
      const { der } = await makeRequest({ deviceId })
      const certificates = [cert, ...chain.map((each) => each.cert)].join('')
      return world.send({ body: der.toString('base64'), cert: certificates, key })
    },
    async revoke(deviceId) {
      const path = `/api/enrollment-groups/${world.group.groupId}/devices/${deviceId}/certificates/revoke`
      const { status } = await platform.post(path)
      if (status !== 200) throw new Error(`revoke answered ${status}`)
    },
    certificatesOf: (deviceId) =>
      platform.ctx.db
        .selectFrom('device_certificates')
        .where('device_id', '=', deviceId)
        .select('serial_number')
        .execute(),
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  }
  await world.group.change({ manufacturer_cas: [maker.cert] })
  return world
}

/** Basic credentials of a device. */
export const basic = ({ bootstrapKey }: CertificateGroup, deviceId: string, key = bootstrapKey) => ({
  basic: `${deviceId}:${key}`,
})
