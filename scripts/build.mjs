import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/**
 * Builds a workspace and what it stands on. The compiler looks at what changed; with nothing changed it takes a fraction
 * of a second.
 */
export function build(workspace) {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  const { status } = spawnSync(process.execPath, [tsc, '--build', workspace], { cwd: root, stdio: 'inherit' })
  if (status !== 0) {
    console.error('The build failed. After an update, `npm ci` brings the packages in step.')
    process.exit(1)
  }
}
