// Bundles the console with Vite: hashed files in `console/dist`, which the server serves.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const directory = join(root, 'console')

/** @returns what decides the bundle besides the sources of the console */
export function consoleInputs() {
  const files = [
    'console/index.html',
    'console/vite.config.ts',
    'console/package.json',
    'console/public/favicon.svg',
    'scripts/bundle-console.mjs',
    // Not what is installed: the bundle stays the same without its packages.
    'package-lock.json',
  ]
  const paths = files.map((file) => join(root, file)).filter((path) => existsSync(path))
  return paths.map((path) => readFileSync(path, 'utf8')).join('\n')
}

export async function bundleConsole() {
  const { build } = await import('vite')
  // Tests build too; with their environment React would be the one for development.
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  try {
    await build({ root: directory, logLevel: 'warn' })
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = NODE_ENV
  }
}
