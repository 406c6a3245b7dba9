/**
 * The files of the console, which `npm run build` writes to `console/dist`. They are read once and again when the page
 * changes, so that a rebuilt console needs no restart.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Below the folder of this file in `src`, in `dist` and in the bundle of the server alike. */
export const consoleDirectory = fileURLToPath(new URL('../../../console/dist', import.meta.url))

export interface Asset {
  bytes: Buffer
  type: string
  etag: string
  /** The name contains a hash of the content, so the content never changes. */
  isHashed: boolean
}

export interface Bundle {
  /** The page of all addresses. */
  page: Asset
  /** By path, such as `static/index-0a1b2c3d.js`. */
  assets: ReadonlyMap<string, Asset>
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** Such as `index-0a1b2c3d.js`: Vite puts a hash of 8 characters before the extension. */
export const isHashedName = (path: string): boolean => /-[\w-]{8}\.\w+$/.test(path) && extname(path) in types

/** @returns a function that answers the present bundle; undefined if the console has not been built */
export function createBundleReader(directory: string): () => Promise<Bundle | undefined> {
  const pagePath = join(directory, 'index.html')
  let read: { changedAtMs: number; bundle: Promise<Bundle | undefined> } | undefined
  return async () => {
    const changedAtMs = await modifiedAtMs(pagePath)
    if (changedAtMs === undefined) return undefined
    if (read?.changedAtMs !== changedAtMs) {
      const bundle = readBundle(directory)
      read = { changedAtMs, bundle }
      // A build that is writing its files right now is read again at the next request.
      bundle.catch(() => (read = undefined))
    }
    return read.bundle
  }
}

async function modifiedAtMs(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function readBundle(directory: string): Promise<Bundle | undefined> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && extname(entry.name) in types)
    .map((entry) => join(entry.parentPath, entry.name))
  const read = await Promise.all(files.map((file) => readAsset(directory, file)))
  const assets = new Map(read)
  const page = assets.get('index.html')
  assets.delete('index.html')
  return page && { page, assets }
}

async function readAsset(directory: string, file: string): Promise<[string, Asset]> {
  const path = relative(directory, file).split(sep).join('/')
  const bytes = await readFile(file)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  return [path, { bytes, type: types[extname(path)]!, etag, isHashed: isHashedName(path) }]
}
