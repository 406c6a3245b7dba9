import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleServer } from './bundle.mjs'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * Compiles workspaces and what they stand on, and bundles the server. The compiler looks at what changed; with nothing
 * changed it takes a fraction of a second. Answers whether it went well.
 */
export async function compile(...workspaces) {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const compiler = spawn(process.execPath, [tsc, '--build', ...workspaces], { cwd: root, stdio: 'inherit' })
  const stop = () => compiler.kill()
  process.once('exit', stop)
  const [status] = await once(compiler, 'exit')
  process.off('exit', stop)
  if (status !== 0) return false
  await bundleServer()
  return true
}

/** Before a program that runs on: the start scripts import what they built, so that signals reach it. */
export async function build(...workspaces) {
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ])
    // Without a handler process 1 of a container would not get it.
    process.on(signal, () => {
      const isHandledByProgram = process.listenerCount(signal) > 1
      if (!isHandledByProgram) process.exit(128 + number)
    })
  if (await compile(...workspaces)) return
  console.error('The build failed. After an update, `npm ci` brings the packages in step.')
  process.exit(1)
}
