import 'reflect-metadata'
import { expect, test } from 'vitest'
import { makeCertificate, makeManufacturer, type Signed } from '../../../../test/harness/manufacturer.ts'
import { makeKeys } from '../../../../test/harness/est-client.ts'
import * as x509 from '@peculiar/x509'
import { parseCertificate } from '../read-authority-certificate.ts'
import { verifyManufacturerChain } from './verify-chain.ts'

const parse = (signed: Signed) => parseCertificate(toDer(signed))
const toDer = ({ certificate }: Signed) => Buffer.from(certificate.rawData)

test('a chain that leads to a trusted authority is accepted', async () => {
  const { root, intermediate } = await makeManufacturer()
  const leaf = toDer(await makeCertificate({ subject: 'CN=pump-1', issuer: intermediate }))
  const trusted = [parse(root)]
  verifyManufacturerChain({ leaf, intermediates: [toDer(intermediate)], trusted })
  expect(() => verifyManufacturerChain({ leaf, intermediates: [], trusted })).toThrow('does not lead to')
})

test.each([
  ['servers', [x509.ExtendedKeyUsage.serverAuth], false],
  ['clients', [x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth], true],
])('an intermediate authority for %s', async (_name, usages, isAccepted) => {
  const { root } = await makeManufacturer()
  const extensions = [new x509.ExtendedKeyUsageExtension(usages)]
  const factory = await makeCertificate({ subject: 'CN=Factory', ca: true, issuer: root, extensions })
  const leaf = toDer(await makeCertificate({ subject: 'CN=pump-1', issuer: factory }))
  const verify = () =>
    verifyManufacturerChain({ leaf, intermediates: [toDer(factory)], trusted: [parse(root)] })
  if (isAccepted) verify()
  else expect(verify).toThrow('the intermediate is not for certificates of clients')
})

test.each(['leaf', 'intermediate'])(
  'a %s that holds the certificate of a trusted authority in an extension proves nothing',
  async (place) => {
    const { root } = await makeManufacturer()
    const embedded = new x509.Extension('1.3.6.1.4.1.99999.1', false, Buffer.from(`\n${root.pem}\n`))
    // It names the root as its issuer, and is signed with the key of somebody else.
    const impostor = { ...root, keys: await makeKeys() }
    const trusted = [parse(root)]
    if (place === 'leaf') {
      const forged = await makeCertificate({ subject: 'CN=pump-1', issuer: impostor, extensions: [embedded] })
      expect(() => verifyManufacturerChain({ leaf: toDer(forged), intermediates: [], trusted })).toThrow(
        'it holds another certificate',
      )
      return
    }
    const factory = { subject: 'CN=Factory', ca: true, issuer: impostor, extensions: [embedded] }
    const forged = await makeCertificate(factory)
    const leaf = toDer(await makeCertificate({ subject: 'CN=pump-1', issuer: forged }))
    expect(() => verifyManufacturerChain({ leaf, intermediates: [toDer(forged)], trusted })).toThrow(
      'it holds another certificate',
    )
  },
)
