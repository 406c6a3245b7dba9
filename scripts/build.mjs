import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { digestSources, isBuilt, isCurrent, withReferences, writeRecord } from './build-record.mjs'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const foldersOf = (workspaces) => withReferences(workspaces.map((name) => join(root, name)))

/**
 * Compiles workspaces and those that they reference, and records what they were compiled from.
 *
 * @returns whether it succeeded
 */
export async function compile(...workspaces) {
  const digests = foldersOf(workspaces).map((folder) => [folder, digestSources(folder)])
  const isCompiled = await runCompiler('--build', ...workspaces)
  if (isCompiled) for (const [folder, sources] of digests) writeRecord(folder, sources)
  return isCompiled
}

/** @returns whether it succeeded */
export async function runCompiler(...args) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const compiler = spawn(process.execPath, [tsc, ...args], { cwd: root, stdio: 'inherit' })
  const stop = () => compiler.kill()
  process.once('exit', stop)
  const [status] = await once(compiler, 'exit')
  process.off('exit', stop)
  return status === 0
}

/**
 * Compiles what is stale, or ends the process with the reason why it cannot. The start scripts import what they built,
 * so that signals reach it.
 */
export async function build(...workspaces) {
  handleSignals()
  const stale = foldersOf(workspaces).find((folder) => !isCurrent(folder))
  if (stale === undefined) return requirePackages()
  await rebuild(
    workspaces,
    `${stale} ${isBuilt(stale) ? 'has changed since it was built' : 'is not built'}, and `,
  )
}

function requirePackages() {
  if (existsSync(join(root, 'node_modules'))) return
  console.error(`There are no packages in ${join(root, 'node_modules')}: run \`npm ci --omit=dev\`.`)
  process.exit(1)
}

/** Compiles, or ends the process with one line where the compiler would fail in many. */
export async function rebuild(workspaces, why = '') {
  const obstacle = missingPackages() ?? foldersOf(workspaces).map(findClosed).find(Boolean)
  if (obstacle === undefined && (await compile(...workspaces))) return
  console.error(
    obstacle === undefined
      ? 'The build failed. After an update, `npm ci` brings the packages in step.'
      : `${why}${obstacle}`,
  )
  process.exit(1)
}

/** Process 1 of a container gets no signal that it has no handler for. */
function handleSignals() {
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ])
    process.on(signal, () => {
      const isHandledByProgram = process.listenerCount(signal) > 1
      if (!isHandledByProgram) process.exit(128 + number)
    })
}

/** The compiler alone may be here, since a package of the server names it as an optional peer. */
function missingPackages() {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const missing = Object.keys(devDependencies)
    .filter((name) => name === 'typescript' || name.startsWith('@types/'))
    .find((name) => !existsSync(join(root, 'node_modules', name)))
  return (
    missing &&
    `the development package ${missing} is not installed: run \`npm ci --include=dev && npm run build\`.`
  )
}

function findClosed(folder) {
  const output = join(folder, 'dist')
  const paths = existsSync(output)
    ? [output, ...readdirSync(output, { recursive: true }).map((name) => join(output, name))]
    : [folder]
  for (const path of paths)
    try {
      accessSync(path, constants.W_OK)
    } catch (error) {
      return `${path} cannot be written (${error.code}): run \`npm run build\` as the user who owns it, where it can be written.`
    }
  return undefined
}
