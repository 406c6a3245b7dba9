/** The real program, where it cannot start. */
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { emptyDatabase, type TestDatabase } from '../../test/harness/database.ts'
import { failedStart, nobody } from '../../test/harness/failed-start.ts'
import { type TemporaryDirectory, temporaryDirectory } from '../../test/harness/temporary-directory.ts'
import { loadServerCertificate } from '../mqtt/server-certificate.ts'

let database: TestDatabase
let directory: TemporaryDirectory
beforeAll(async () => {
  database = await emptyDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())
beforeEach(async () => {
  directory = await temporaryDirectory()
})
afterEach(() => directory[Symbol.asyncDispose]())

const secretKey = randomBytes(32).toString('base64')
const path = (name: string) => join(directory.path, name)

/** With a database that is there, so that the start comes as far as to its ports. */
const start = (environment: Record<string, string> = {}) =>
  failedStart({
    DATABASE_URL: database.url,
    GANGWAY_SECRET_KEY: secretKey,
    GANGWAY_DATA_DIR: directory.path,
    ...environment,
  })

/** One line and nothing else. */
function expectPlain(said: string, ...parts: string[]) {
  for (const part of parts) expect(said).toContain(part)
  expect(said.trim().split('\n')).toHaveLength(1)
  expect(said).toMatch(/^Gangway cannot start: /)
}

describe('addresses and ports', () => {
  let taken: Server
  let port: string
  beforeAll(async () => {
    taken = createServer()
    await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve))
    port = `${(taken.address() as { port: number }).port}`
  })
  afterAll(() => new Promise((resolve) => void taken.close(resolve)))

  test.each(['GANGWAY_HTTP_PORT', 'GANGWAY_ONBOARDING_PORT', 'GANGWAY_MQTT_PORT', 'GANGWAY_MQTTS_PORT'])(
    'a port that is taken is named with its variable: %s',
    async (variable) => {
      expectPlain(await start({ [variable]: port }), `${variable}: port ${port} is taken.`)
    },
  )

  test.each(['GANGWAY_HTTP_HOST', 'GANGWAY_MQTT_HOST'])(
    'an address that is not of this machine, and a name without address: %s',
    async (variable) => {
      expectPlain(
        await start({ [variable]: '192.0.2.1' }),
        `${variable}: 192.0.2.1 is not an address of this machine.`,
      )
      expectPlain(
        await start({ [variable]: 'nowhere.invalid' }),
        `${variable}: the name nowhere.invalid has no address.`,
      )
    },
  )
})

describe('TLS files', () => {
  const startWith = (cert: string, key: string) =>
    start({ GANGWAY_MQTTS_CERT_FILE: path(cert), GANGWAY_MQTTS_KEY_FILE: path(key) })

  beforeEach(async () => {
    const config = {
      dataDir: directory.path,
      publicUrl: undefined,
      mqttsCertFile: undefined,
      mqttsKeyFile: undefined,
    }
    await loadServerCertificate(config)
  })

  test('a file that is missing, or is a directory', async () => {
    await mkdir(path('folder'))
    expectPlain(
      await startWith('none.crt', 'tls/server.key'),
      'GANGWAY_MQTTS_CERT_FILE: there is no file',
      'none.crt',
    )
    expectPlain(
      await startWith('tls/server.crt', 'none.key'),
      'GANGWAY_MQTTS_KEY_FILE: there is no file',
      'none.key',
    )
    expectPlain(await startWith('tls/server.crt', 'folder'), 'GANGWAY_MQTTS_KEY_FILE', 'it is a directory')
  })

  test('a key of another certificate', async () => {
    expectPlain(
      await startWith('tls/server.crt', 'tls/ca.key'),
      'GANGWAY_MQTTS_KEY_FILE',
      'is not the key of the certificate',
    )
  })

  test('an encrypted key', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const format = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const
    await writeFile(path('closed.key'), privateKey.export(format))
    expectPlain(await startWith('tls/server.crt', 'closed.key'), 'GANGWAY_MQTTS_KEY_FILE', 'is encrypted')
  })

  test('files that hold something else', async () => {
    await writeFile(path('garbage'), randomBytes(100))
    expectPlain(
      await startWith('garbage', 'tls/server.key'),
      'GANGWAY_MQTTS_CERT_FILE',
      'holds no certificate',
    )
    expectPlain(
      await startWith('tls/server.crt', 'garbage'),
      'GANGWAY_MQTTS_KEY_FILE',
      'holds no private key',
    )
    await writeFile(path('tls/ca.crt'), 'garbage')
    expectPlain(await start(), path('tls/ca'), 'Restore both')
  })
})

describe('the data directory', () => {
  test('GANGWAY_DATA_DIR is a file, or lies below one', async () => {
    await writeFile(path('file'), '')
    for (const dataDir of [path('file'), path('file/below')])
      expectPlain(
        await failedStart({ GANGWAY_DATA_DIR: dataDir }),
        path('file'),
        'where a directory has to be',
        'GANGWAY_DATA_DIR',
      )
  })

  test.each(['secret.key', 'postgres.password', 'postgres-location'])('%s is a directory', async (name) => {
    await mkdir(path(name))
    await mkdir(path('postgres'))
    await writeFile(path('postgres/PG_VERSION'), '18\n')
    expectPlain(
      await failedStart({ GANGWAY_DATA_DIR: directory.path }),
      path(name),
      'is a directory, where a file has to be',
    )
  })

  test.each(['gangway.lock', 'tls', 'postgres'])('%s is a file', async (name) => {
    await writeFile(path(name), '')
    const said = name === 'tls' ? await start() : await failedStart({ GANGWAY_DATA_DIR: directory.path })
    expectPlain(said, path(name))
  })

  test('endpoints.json is a directory', async () => {
    await mkdir(path('endpoints.json'))
    expectPlain(await start(), path('endpoints.json'), 'is a directory, where a file has to be')
  })
})

/** Root may do everything, so that the server runs as somebody else here. */
const mainFile = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const isReachable = () => {
  try {
    execFileSync(process.execPath, ['-e', `fs.accessSync(${JSON.stringify(mainFile)})`], {
      ...nobody,
      cwd: '/',
    })
    return true
  } catch {
    return false
  }
}
const asNobody = process.getuid?.() === 0 && isReachable()
if (!asNobody)
  console.log('Skipped: a start as another user (needs root, and a checkout that another user can enter)')

describe.skipIf(!asNobody)('another user', () => {
  const startAsNobody = () => failedStart({ GANGWAY_DATA_DIR: path('data') }, nobody)

  test('a directory that may not be written', async () => {
    await mkdir(path('data'))
    await chown(path('data'), nobody.uid, nobody.gid)
    await chmod(path('data'), 0o555)
    expectPlain(await startAsNobody(), path('data'), 'has no right to use it', 'GANGWAY_DATA_DIR')
  })

  test('a data directory that cannot be made', async () => {
    expectPlain(await startAsNobody(), path('data'), `since ${directory.path} belongs to user id 0`)
  })

  test('files of the user who started it before', async () => {
    await mkdir(path('data/gangway.lock'), { recursive: true, mode: 0o700 })
    expectPlain(await startAsNobody(), path('data/gangway.lock'), 'belongs to user id 0', 'chown -R')
  })

  test('a secret key of another user', async () => {
    await mkdir(path('data'))
    await chown(path('data'), nobody.uid, nobody.gid)
    await writeFile(path('data/secret.key'), secretKey, { mode: 0o600 })
    expectPlain(await startAsNobody(), path('data/secret.key'), 'belongs to user id 0')
    expect(await readFile(path('data/secret.key'), 'utf8')).toBe(secretKey)
  })
})

/** A mount of its own, gone with the program. */
const canMount = (() => {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', '-o', 'ro', 'none', '/mnt'])
    accessSync('/mnt', constants.F_OK)
    return true
  } catch {
    return false
  }
})()
if (!canMount) console.log('Skipped: a read-only file system (unshare --mount is not permitted)')

test.skipIf(!canMount)('a read-only file system', async () => {
  const said = await failedStart(
    { GANGWAY_DATA_DIR: '/mnt/data' },
    { wrap: ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs -o ro none /mnt && exec "$@"', 'sh'] },
  )
  expectPlain(said, '/mnt/data', 'mounted read-only')
})
