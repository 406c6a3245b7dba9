/** The device SDK. Its file holds key and certificate. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { enroll } from '../../../../device/src/certificates/enroll.ts'
import type { CertificateFiles, EstClient } from './est-client.ts'

export const deviceSdk: EstClient = {
  name: 'the device SDK',
  async enroll({ estUrl, caFile, deviceId, key, directory }) {
    await enroll({ estUrl, deviceId, bootstrapKey: key, ca: await readFile(caFile), store: directory })
    return files(directory)
  },
  async renew({ estUrl, caFile, deviceId, directory }) {
    // Without its key, so that a refused renewal does not become a new enrollment.
    const identity = await enroll({ estUrl, deviceId, ca: await readFile(caFile), store: directory })
    // The certificate of an earlier renewal has connected.
    await identity.exchange()
    const answer = await identity.requestNext(Date.now())
    if (answer.kind !== 'certificates') throw new Error(JSON.stringify(answer))
    return files(directory, 'next')
  },
}

function files(directory: string, name = 'current'): CertificateFiles {
  const file = join(directory, `${name}.pem`)
  return { certFile: file, keyFile: file }
}
