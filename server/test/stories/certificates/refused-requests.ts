/** Requests that an EST server must refuse, as they arrive from outside. [docs/certificates] */
import { Readable } from 'node:stream'
import { deriveDeviceKey } from '../../../../device/src/device-key.ts'
import { makeRequest } from './certificate-request.ts'
import type { EstAnswer } from './est-request.ts'
import { basic, type EstWorld } from './est-world.ts'
import { makeHolder } from './manufacturer.ts'

const MEGABYTE = 1024 * 1024

const unwrapped = (der: Buffer) => der.toString('base64')

/** @param size in megabytes */
const longBody = (size: number) => {
  const part = Buffer.alloc(MEGABYTE, 'A')
  return Readable.from(Array.from({ length: size }, () => part))
}

export interface RefusedRequest {
  name: string
  /** HTTP status and code of the error. */
  expected: [400 | 401 | 403 | 413 | 422, string]
  send(world: EstWorld, deviceId: string): Promise<EstAnswer>
}

export const refusedRequests: RefusedRequest[] = [
  {
    name: 'the chain of a foreign manufacturer',
    expected: [401, 'unauthorized'],
    async send(world, name) {
      const issuer = await makeHolder({ name: 'Maker root', isAuthority: true })
      return world.enrollWith({ name, issuer })
    },
  },
  {
    name: 'a foreign intermediate authority that claims the right issuer',
    expected: [401, 'unauthorized'],
    async send(world, name) {
      const foreign = await makeHolder({ name: 'Maker root', isAuthority: true })
      const issuer = await makeHolder({ name: 'Maker line 1', issuer: foreign, isAuthority: true })
      return world.enrollWith({ name, issuer }, [issuer])
    },
  },
  {
    name: "an expired manufacturer's certificate",
    expected: [401, 'unauthorized'],
    send: (world, name) => world.enrollWith({ name, issuer: world.line, expiresInDays: -2 }, [world.line]),
  },
  {
    name: 'an expired intermediate authority',
    expected: [401, 'unauthorized'],
    async send(world, name) {
      const issuer = await makeHolder({
        name: 'Old line',
        issuer: world.maker,
        isAuthority: true,
        expiresInDays: -2,
      })
      return world.enrollWith({ name, issuer }, [issuer])
    },
  },
  {
    name: 'a chain whose intermediate authority is missing',
    expected: [401, 'unauthorized'],
    send: (world, name) => world.enrollWith({ name, issuer: world.line }),
  },
  {
    name: 'a certificate that another device signed',
    expected: [401, 'unauthorized'],
    async send(world, name) {
      const issuer = await makeHolder({ name: 'pump-0', issuer: world.line })
      return world.enrollWith({ name, issuer }, [issuer, world.line])
    },
  },
  {
    name: 'an intermediate authority in the place of the device',
    expected: [401, 'unauthorized'],
    async send(world, name) {
      const { cert, key } = await makeHolder({ name, issuer: world.maker, isAuthority: true })
      const { der } = await makeRequest({ deviceId: name })
      return world.send({ body: unwrapped(der), cert, key })
    },
  },
  {
    name: "the manufacturer's authority itself in the place of the device",
    expected: [401, 'unauthorized'],
    async send(world, deviceId) {
      const { der } = await makeRequest({ deviceId })
      return world.send({ body: unwrapped(der), cert: world.maker.cert, key: world.maker.key })
    },
  },
  {
    name: "a manufacturer's certificate signed with SHA-1",
    expected: [401, 'unauthorized'],
    send: (world, name) => world.enrollWith({ name, issuer: world.line, hash: 'SHA-1' }, [world.line]),
  },
  {
    name: "a manufacturer's certificate and a request with the CN of another device",
    expected: [403, 'forbidden'],
    send: (world, name) => world.enrollWith({ name, issuer: world.line }, [world.line], 'victim'),
  },
  {
    name: 'a request with the CN of another device',
    expected: [403, 'forbidden'],
    async send(world, deviceId) {
      const { der } = await makeRequest({ deviceId: 'victim' })
      return world.send({ body: unwrapped(der), ...basic(world.group, deviceId) })
    },
  },
  {
    name: 'a request with an alternative name of another device',
    expected: [403, 'forbidden'],
    send: (world, deviceId) => world.enroll(deviceId, { alternativeNames: ['DNS:victim'] }),
  },
  {
    name: 'a request with 1,000 alternative names',
    expected: [400, 'validation_error'],
    send: (world, deviceId) =>
      world.enroll(deviceId, {
        alternativeNames: Array.from({ length: 1_000 }, (_, index) => `DNS:name-${index}`),
      }),
  },
  {
    name: 'an RSA key of 1,024 bits',
    expected: [400, 'validation_error'],
    send: (world, deviceId) => world.enroll(deviceId, { newKey: ['-newkey', 'rsa:1024'] }),
  },
  {
    name: 'an EC key on a small curve',
    expected: [400, 'validation_error'],
    send: (world, deviceId) =>
      world.enroll(deviceId, { newKey: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp160r1'] }),
  },
  ...['md5', 'sha1'].map((digest): RefusedRequest => ({
    name: `a request signed with ${digest}`,
    expected: [400, 'validation_error'],
    send: (world, deviceId) => world.enroll(deviceId, { digest, newKey: ['-newkey', 'rsa:2048'] }),
  })),
  {
    name: 'a body of 100 MB',
    expected: [413, 'payload_too_large'],
    send: (world, deviceId) =>
      world.send({
        body: longBody(100),
        ...basic(world.group, deviceId),
        headers: { 'content-length': `${100 * MEGABYTE}` },
      }),
  },
  {
    name: 'a body of 100 MB in chunks',
    expected: [413, 'payload_too_large'],
    send: (world, deviceId) => world.send({ body: longBody(100), ...basic(world.group, deviceId) }),
  },
  ...Object.entries({
    'broken base64': 'MIIB*this is not base64*',
    'base64 of something else': Buffer.from('{"csr": true}').toString('base64'),
    'an empty body': '',
  }).map(([name, body]): RefusedRequest => ({
    name,
    expected: [400, 'validation_error'],
    send: (world, deviceId) => world.send({ body, ...basic(world.group, deviceId) }),
  })),
  {
    name: 'half of a request',
    expected: [400, 'validation_error'],
    async send(world, deviceId) {
      const { der } = await makeRequest({ deviceId })
      return world.send({ body: unwrapped(der.subarray(0, der.length / 2)), ...basic(world.group, deviceId) })
    },
  },
  {
    name: 'a wrong signature',
    expected: [400, 'validation_error'],
    async send(world, deviceId) {
      const { der } = await makeRequest({ deviceId })
      der[der.length - 1]! ^= 1
      return world.send({ body: unwrapped(der), ...basic(world.group, deviceId) })
    },
  },
  {
    name: 'no credentials',
    expected: [401, 'unauthorized'],
    async send(world, deviceId) {
      const { der } = await makeRequest({ deviceId })
      return world.send({ body: unwrapped(der) })
    },
  },
  {
    name: 'the derived key of another device',
    expected: [401, 'unauthorized'],
    async send(world, deviceId) {
      const { der } = await makeRequest({ deviceId })
      return world.send({
        body: unwrapped(der),
        ...basic(world.group, deviceId, deriveDeviceKey(world.group.bootstrapKey, 'victim')),
      })
    },
  },
  {
    name: 'the bootstrap key of another group',
    expected: [401, 'unauthorized'],
    async send(world, deviceId) {
      const { der } = await makeRequest({ deviceId })
      return world.send({
        body: unwrapped(der),
        ...basic(world.group, deviceId, (await world.makeGroup()).bootstrapKey),
      })
    },
  },
  {
    name: 'a renewal as another device',
    expected: [403, 'forbidden'],
    async send(world, deviceId) {
      const own = await world.obtain(deviceId)
      const { der } = await makeRequest({ deviceId: 'victim' })
      return world.send({ body: unwrapped(der), ...own }, { operation: 'simplereenroll' })
    },
  },
  {
    name: 'a renewal in another group',
    expected: [403, 'forbidden'],
    async send(world, deviceId) {
      const own = await world.obtain(deviceId)
      const { der } = await makeRequest({ deviceId })
      return world.send(
        { body: unwrapped(der), ...own },
        { operation: 'simplereenroll', group: await world.makeGroup() },
      )
    },
  },
  {
    name: 'a renewal with a certificate that the device signed for another one',
    expected: [401, 'unauthorized'],
    async send(world, deviceId) {
      const own = await makeHolder({ name: deviceId })
      const { cert, key } = await makeHolder({ name: 'victim', issuer: own })
      const { der } = await makeRequest({ deviceId: 'victim' })
      return world.send({ body: unwrapped(der), cert: cert + own.cert, key }, { operation: 'simplereenroll' })
    },
  },
]
