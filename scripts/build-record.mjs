// Tells whether a workspace is built from its present sources, without the compiler, which may not be installed: each
// build leaves a digest of its sources and of its output beside the output.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const recordFile = (folder) => join(folder, 'dist/.built-from')

/** Folders of the workspaces and of the workspaces that they reference. */
export function withReferences(folders) {
  const found = new Set(folders)
  for (const folder of found)
    if (hasSources(folder))
      for (const { path } of JSON.parse(readFileSync(configFile(folder), 'utf8')).references ?? [])
        found.add(join(folder, path))
  return [...found]
}

const configFile = (folder) => join(folder, 'tsconfig.json')

/** An image or an archive may contain only the output. */
const hasSources = (folder) => existsSync(configFile(folder))

export const isBuilt = (folder) => existsSync(recordFile(folder))

/** @param others inputs outside of the workspace, such as bundled packages */
export const isCurrent = (folder, others = '') =>
  !hasSources(folder) ||
  (isBuilt(folder) &&
    readFileSync(recordFile(folder), 'utf8') === record(folder, digestInputs(folder, others)))

/** All inputs that determine the output. */
export function digestInputs(folder, others = '') {
  const sources = readdirSync(join(folder, 'src'), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && /\.(?:tsx?|css)$/.test(file.name) && !file.name.endsWith('.test.ts'))
    .map((file) => join(file.parentPath, file.name))
    .toSorted()
  const digest = createHash('sha256').update(`${others}\n`)
  for (const path of [configFile(folder), join(folder, '../tsconfig.base.json'), ...sources]) {
    const text = readFileSync(path)
    digest.update(`${relative(folder, path)} ${text.length}\n`).update(text)
  }
  return digest.digest('hex')
}

/** The compiler's own state is part of the record: it changes when the compiler is started directly. */
function record(folder, inputs) {
  const notes = join(folder, 'dist/.tsbuildinfo')
  const output = existsSync(notes) ? createHash('sha256').update(readFileSync(notes)).digest('hex') : 'none'
  return `inputs ${inputs}\noutput ${output}\n`
}

/** @param inputs the digest from before the compiler started: a file that changed meanwhile may not be in the output */
export const writeRecord = (folder, inputs) => writeFileSync(recordFile(folder), record(folder, inputs))
