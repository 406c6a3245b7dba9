// Starts the built server as a separate process, for scripts without a compiler.
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** @returns a started server with an empty data directory, its addresses, and a function `stop` */
export async function startServer({ password }, settings = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'gangway-server-'))
  await chmod(dataDir, 0o711)
  const [http, https, mqtt, mqtts] = await Promise.all([freePort(), freePort(), freePort(), freePort()])
  const main = new URL('../../../server/dist/bundle/main.js', import.meta.url).pathname
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      GANGWAY_DATA_DIR: dataDir,
      GANGWAY_HTTP_HOST: '127.0.0.1',
      GANGWAY_HTTP_PORT: `${http}`,
      GANGWAY_HTTPS_PORT: `${https}`,
      GANGWAY_MQTT_PORT: `${mqtt}`,
      GANGWAY_MQTTS_PORT: `${mqtts}`,
      GANGWAY_ADMIN_PASSWORD: password,
      GANGWAY_LOG_LEVEL: 'warn',
      GANGWAY_RATE_LIMIT_STANDARD: '999999999',
      ...settings,
    },
  })
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => `${chunk}`.includes('Gangway is running.') && resolve())
    child.stderr.pipe(process.stderr)
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
  const url = `http://127.0.0.1:${http}`
  const stop = async () => {
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await exited
    await rm(dataDir, { recursive: true, force: true })
  }
  return { url, mqtt: `mqtt://127.0.0.1:${mqtt}`, stop }
}

async function freePort() {
  const listener = createServer()
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address()
  await new Promise((resolve) => listener.close(resolve))
  return port
}
