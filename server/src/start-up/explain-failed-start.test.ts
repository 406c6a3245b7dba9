/**
 * The messages of a server that cannot start. Most cases run the failing step of the start in this process; the real
 * program is started if its user, its file system or its last step matters.
 */
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { accessSync, constants } from 'node:fs'
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { emptyDatabase } from '../../test/harness/database.ts'
import { failedStart, nobody } from '../../test/harness/failed-start.ts'
import { testLog } from '../../test/harness/log.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { type TemporaryDirectory, temporaryDirectory } from '../../test/harness/temporary-directory.ts'
import { readConfig } from '../config.ts'
import { openDatabase } from '../database/open.ts'
import { createGuards } from '../guards.ts'
import { startHttp } from '../http/start.ts'
import { listen } from '../mqtt/listeners/listeners.ts'
import { loadServerCertificate } from '../tls/server-certificate.ts'
import { createServerCertificates } from '../tls/server-certificates.ts'
import { announce } from './announce.ts'
import { explain } from './explain-failed-start.ts'

let platform: Platform
let directory: TemporaryDirectory
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())
beforeEach(async () => {
  directory = await temporaryDirectory()
})
afterEach(() => directory[Symbol.asyncDispose]())

const secretKey = randomBytes(32).toString('base64')
const path = (name: string) => join(directory.path, name)

/** The context of a step of the start: free ports, loopback addresses and the data directory of the test. */
function makeContext(environment: Record<string, string>) {
  const config = readConfig({
    GANGWAY_DATA_DIR: directory.path,
    GANGWAY_HTTP_HOST: '127.0.0.1',
    GANGWAY_MQTT_HOST: '127.0.0.1',
    GANGWAY_HTTP_PORT: '0',
    GANGWAY_MQTT_PORT: '0',
    GANGWAY_MQTTS_PORT: '0',
    GANGWAY_HTTPS_PORT: '0',
    ...environment,
  })
  const serverCertificates = createServerCertificates(config, platform.ctx.log)
  return { ...platform.ctx, config, serverCertificates, endpoints: {} }
}

/** @returns the message of the program about the failure; throws if the step succeeds */
async function explainFailure(step: () => Promise<void>): Promise<string> {
  const said = await step().then(
    () => undefined,
    (error: unknown) => `Gangway cannot start: ${explain(error)}`,
  )
  if (said === undefined) throw new Error('The step succeeded.')
  return said
}

/** The steps that listen, in the order of the program. */
const failureToListen = (environment: Record<string, string> = {}) =>
  explainFailure(async () => {
    const ctx = makeContext(environment)
    await using _mqtt = await listen(ctx, (socket) => void socket.destroy())
    await using _http = await startHttp(ctx, [], createGuards(ctx))
  })

/** The step that locks the data directory and starts the embedded database in it. */
const failureToOpen = (environment: Record<string, string> = {}) =>
  explainFailure(async () => {
    await using _database = await openDatabase({ ...makeContext(environment).config, log: testLog })
  })

/** One line and nothing else. */
function expectPlain(said: string, ...parts: string[]) {
  for (const part of parts) expect(said).toContain(part)
  expect(said.trim().split('\n')).toHaveLength(1)
  expect(said).toMatch(/^Gangway cannot start: /)
}

/** A port that something else listens on. */
async function takePort() {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    port: `${(server.address() as { port: number }).port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}

describe('addresses and ports', () => {
  test.each([
    'GANGWAY_HTTP_PORT',
    'GANGWAY_ONBOARDING_PORT',
    'GANGWAY_MQTT_PORT',
    'GANGWAY_MQTTS_PORT',
    'GANGWAY_HTTPS_PORT',
  ])('a port in use is named with its variable: %s', async (variable) => {
    await using taken = await takePort()
    expectPlain(
      await failureToListen({ [variable]: taken.port }),
      `${variable}: port ${taken.port} is taken.`,
    )
  })

  test.each(['GANGWAY_HTTP_HOST', 'GANGWAY_MQTT_HOST'])(
    'an address of another machine and a name without an address are named: %s',
    async (variable) => {
      expectPlain(
        await failureToListen({ [variable]: '192.0.2.1' }),
        `${variable}: 192.0.2.1 is not an address of this machine.`,
      )
      expectPlain(
        await failureToListen({ [variable]: 'nowhere.invalid' }),
        `${variable}: the name nowhere.invalid has no address.`,
      )
    },
  )
})

test('a server that fails at one of its ports leaves none of the others open', async () => {
  const listening = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap').length
  await using taken = await takePort()
  const before = listening()
  await failureToListen({ GANGWAY_ONBOARDING_PORT: taken.port })
  await vi.waitFor(() => expect(listening()).toBe(before))
})

describe('the real program', () => {
  test('explains a failure of its last step in one line, and ends with code 1', async () => {
    await using database = await emptyDatabase()
    await using taken = await takePort()
    const said = await failedStart({
      DATABASE_URL: database.url,
      GANGWAY_SECRET_KEY: secretKey,
      GANGWAY_DATA_DIR: directory.path,
      GANGWAY_HTTP_PORT: taken.port,
    })
    expectPlain(said, `GANGWAY_HTTP_PORT: port ${taken.port} is taken.`)
  })

  test('explains a failure of its first step in one line, and ends with code 1', async () => {
    await writeFile(path('file'), '')
    expectPlain(await failedStart({ GANGWAY_DATA_DIR: path('file') }), path('file'), 'GANGWAY_DATA_DIR')
  })
})

describe('TLS files', () => {
  const startWith = (cert: string, key: string) =>
    failureToListen({ GANGWAY_MQTTS_CERT_FILE: path(cert), GANGWAY_MQTTS_KEY_FILE: path(key) })

  beforeEach(async () => {
    await loadServerCertificate(makeContext({}).config)
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
    expectPlain(await failureToListen(), path('tls/ca'), 'Put back copies of both')
  })
})

describe('the data directory', () => {
  test('GANGWAY_DATA_DIR is a file, or lies below one', async () => {
    await writeFile(path('file'), '')
    for (const dataDir of [path('file'), path('file/below')])
      expectPlain(
        await failureToOpen({ GANGWAY_DATA_DIR: dataDir }),
        path('file'),
        'where a directory has to be',
        'GANGWAY_DATA_DIR',
      )
  })

  test.each(['secret.key', 'postgres.password', 'postgres-location'])('%s is a directory', async (name) => {
    await mkdir(path(name))
    await mkdir(path('postgres'))
    await writeFile(path('postgres/PG_VERSION'), '18\n')
    expectPlain(await failureToOpen(), path(name), 'is a directory, where a file has to be')
  })

  test.each(['gangway.lock', 'tls', 'postgres'])('%s is a file', async (name) => {
    await writeFile(path(name), '')
    const said = name === 'tls' ? await failureToListen() : await failureToOpen()
    expectPlain(said, path(name))
  })

  test('endpoints.json is a directory', async () => {
    await mkdir(path('endpoints.json'))
    const said = await explainFailure(() => announce(makeContext({}), undefined))
    expectPlain(said, path('endpoints.json'), 'is a directory, where a file has to be')
  })
})

/** Root has every permission, so the server runs as another user here. */
const mainFile = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))
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

/** A private mount, which ends with the program. */
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
