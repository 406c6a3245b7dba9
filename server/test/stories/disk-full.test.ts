/** The disk of the data directory runs full: the server reports it, loses nothing that was acknowledged, and continues when there is space. */
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { prepareOnboarding } from '../harness/onboarded-device.ts'
import { adminPassword, apiAt, logIn } from '../harness/platform.ts'
import { publishNumbers, storedNumbers, untilAllAcknowledge } from '../harness/publish-numbers.ts'
import { startServerProcess } from '../harness/server-process.ts'

const run = promisify(execFile)
const DISK_MIB = 400

/** Mounts a small disk. @returns undefined if this user may not mount */
async function mountDisk() {
  const path = await mkdtemp(join(tmpdir(), 'gangway-disk-'))
  const isMounted = await run('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${DISK_MIB}m,mode=0711`,
    'tmpfs',
    path,
  ]).then(
    () => true,
    () => false,
  )
  const unmount = async () => {
    if (isMounted) await run('umount', ['-l', path])
    await rm(path, { recursive: true, force: true })
  }
  if (isMounted) await chmod(path, 0o711)
  return { path, isMounted, [Symbol.asyncDispose]: unmount }
}

/** Fills the disk completely. */
async function fill(directory: string) {
  const { bavail, bsize } = await statfs(directory)
  const filler = join(directory, 'filler')
  await writeFile(filler, Buffer.alloc(bavail * bsize)).catch(() => {})
  return { empty: () => rm(filler, { force: true }) }
}

test('a full disk is reported by /readyz and the log, and acknowledged messages are stored', async ({
  skip,
}) => {
  await using disk = await mountDisk()
  if (!disk.isMounted) return skip('this user may not mount a disk')
  await using server = await startServerProcess({ GANGWAY_DATA_DIR: disk.path })
  const { http, mqtt } = server.endpoints
  const api = apiAt(http)
  const token = await logIn(api, 'admin@example.com', adminPassword)
  const onboarding = await prepareOnboarding(api, token, http, Number(new URL(mqtt).port))
  const publisher = publishNumbers(mqtt, await onboarding.onboard('on-full-disk'), 0)
  await untilAllAcknowledge([publisher])
  expect(await api('GET', '/readyz')).toMatchObject({ status: 200, body: { disk: true } })

  const filled = await fill(disk.path)
  expect(await api('GET', '/readyz')).toMatchObject({
    status: 503,
    body: { status: 'unavailable', disk: false },
  })
  await vi.waitUntil(() => server.output().includes('the disk is full'), { interval: 50 })
  expect(server.output().split('the disk is full')).toHaveLength(2)

  await filled.empty()
  await untilAllAcknowledge([publisher])
  await vi.waitFor(async () => expect((await api('GET', '/readyz')).status).toBe(200))
  const { deviceId, acknowledged } = await publisher.stop()
  const kept = new Set(await storedNumbers(api, token, deviceId))
  expect(acknowledged.filter((number) => !kept.has(number))).toEqual([])

  await server.kill('SIGTERM')
  const filledAgain = await fill(disk.path)
  const refusal = await server.start().catch((error: Error) => error.message)
  expect(refusal).toMatch(
    /^the server ended \(1\):\nGangway cannot start: The disk of .* is full: \d+ MiB are left, .*\n$/,
  )
  await filledAgain.empty()
  await server.start()
})
