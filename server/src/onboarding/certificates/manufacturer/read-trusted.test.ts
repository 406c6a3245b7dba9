import 'reflect-metadata'
import { expect, test, vi } from 'vitest'
import { makeManufacturer } from '../../../../test/harness/manufacturer.ts'
import type { EnrollingGroup } from '../est/find-group.ts'
import { parseCertificate } from '../read-authority-certificate.ts'
import { createTrustReader } from './read-trusted.ts'

test('the authorities of a group are parsed once for each version of its settings', async () => {
  const { root, intermediate } = await makeManufacturer()
  const parse = vi.fn<typeof parseCertificate>(parseCertificate)
  const readTrusted = createTrustReader(parse)
  const group = (id: string, settingsVersion: string | null, cas: string[]) =>
    ({ id, settingsVersion, settings: { manufacturer_cas: cas } }) as EnrollingGroup
  const subjects = (found: EnrollingGroup) => readTrusted(found).map(({ x509 }) => x509.subject)
  for (let times = 0; times < 3; times++)
    expect(subjects(group('a', '1', [root.pem]))).toEqual(['CN=Pumps Inc Root'])
  expect(parse).toHaveBeenCalledTimes(1)
  expect(subjects(group('a', '2', [intermediate.pem]))).toEqual(['CN=Pumps Inc Factory'])
  expect(subjects(group('b', '2', [root.pem]))).toEqual(['CN=Pumps Inc Root'])
  expect(parse).toHaveBeenCalledTimes(3)
  expect(readTrusted({ id: 'c', settings: undefined, settingsVersion: null } as EnrollingGroup)).toEqual([])
})
