import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { digestInputs, isBuilt, isCurrent, withReferences, writeRecord } from './build-record.mjs'
import { bundleInputs, bundleServer } from './bundle.mjs'
import { bundleConsole, consoleInputs } from './bundle-console.mjs'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

const server = join(root, 'server')
const listFolders = (workspaces) => withReferences(workspaces.map((name) => join(root, name)))
const consoleFolder = join(root, 'console')
const otherInputs = (folder) => {
  if (folder === server) return bundleInputs()
  return folder === consoleFolder ? consoleInputs() : ''
}

/**
 * Compiles workspaces and those that they reference, bundles the server, and records what the output was made from.
 *
 * @returns whether it succeeded
 */
async function compile(...workspaces) {
  const folders = listFolders(workspaces)
  const digests = folders.map((folder) => [folder, digestInputs(folder, otherInputs(folder))])
  if (!(await runCompiler('--build', ...workspaces))) return false
  if (folders.includes(server)) await bundleServer()
  if (folders.includes(consoleFolder)) await bundleConsole()
  for (const [folder, inputs] of digests) writeRecord(folder, inputs)
  return true
}

const findStale = (workspaces) =>
  listFolders(workspaces).find((folder) => !isCurrent(folder, otherInputs(folder)))

/**
 * Compiles workspaces unless they are built from their present sources.
 *
 * @returns whether they are built
 */
export const compileStale = async (...workspaces) =>
  findStale(workspaces) === undefined || compile(...workspaces)

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
  requirePackages()
  const stale = findStale(workspaces)
  if (stale === undefined) return
  await rebuild(
    workspaces,
    `${stale} ${isBuilt(stale) ? 'has changed since it was built' : 'is not built'}, and `,
  )
}

function requirePackages() {
  if (existsSync(join(root, 'node_modules'))) return
  console.error(`There are no packages in ${join(root, 'node_modules')}: run \`npm ci\`.`)
  process.exit(1)
}

/** Compiles, or ends the process with a one-line reason if the compiler cannot run. */
export async function rebuild(workspaces, why = '') {
  const obstacle = missingPackages() ?? listFolders(workspaces).map(findClosed).find(Boolean)
  if (obstacle === undefined && (await compile(...workspaces))) return
  console.error(
    obstacle === undefined
      ? 'The build failed. After an update, `npm ci` brings the packages in step.'
      : `${why}${obstacle}`,
  )
  process.exit(1)
}

/** Process 1 of a container ignores signals without a handler. */
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

const buildTools = ['typescript', 'rolldown', 'vite']

/** The compiler may be installed without the other development packages, as an optional peer of a server package. */
function missingPackages() {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const missing = Object.keys(devDependencies)
    .filter((name) => buildTools.includes(name) || name.startsWith('@types/'))
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
