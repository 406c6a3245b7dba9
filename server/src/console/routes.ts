/** Serves the console: its files, and its page at every other address below /console/. [docs/console] */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import Type from 'typebox'
import type { Config } from '../config.ts'
import { open } from '../http/access.ts'
import { ApiError } from '../http/errors.ts'
import { type Answer, answer, route, type Route } from '../http/route.ts'
import { type Asset, consoleDirectory, createBundleReader, isHashedName } from './bundle.ts'
import { createEncoder } from './encode.ts'
import {
  insertNonce,
  insertTiles,
  makeNonce,
  makePolicy,
  type MapTiles,
  notBuiltPage,
  pageHeaders,
} from './page.ts'

const Html = Type.String()

/** Not part of the API's description: these addresses are for browsers. */
export function consoleRoutes({ directory = consoleDirectory, tiles }: Options = {}): Route[] {
  const sendPage = createPageSender(tiles)
  const readBundle = createBundleReader(directory)
  const encode = createEncoder()
  const serve = async (path: string, request: ConsoleRequest): Promise<Answer> => {
    const bundle = await readBundle()
    const asset = bundle?.assets.get(path)
    if (asset) return sendAsset(asset, request)
    if (isFile(path)) throw new ApiError('not_found', `The console has no file ${path.slice(0, 256)}.`)
    return bundle ? sendPage(bundle.page, request) : answer(404, notBuiltPage, notBuiltHeaders)
  }
  const sendAsset = async (asset: Asset, { headers }: ConsoleRequest) => {
    const { etag, type, isHashed } = asset
    const cached = {
      etag,
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      'cross-origin-resource-policy': 'same-origin',
      vary: 'accept-encoding',
    }
    if (isKnown(etag, headers)) return answer(304, undefined, cached)
    const { bytes, encoding } = await encode(asset, headers['accept-encoding']?.toString())
    return answer(200, bytes, {
      ...cached,
      'content-type': type,
      ...(encoding && { 'content-encoding': encoding }),
    })
  }
  const page = { access: open(), method: 'GET', response: { 200: Html }, produces: 'text/html' } as const
  const redirect = async () => answer(302, undefined, { location: '/console/', 'cache-control': 'no-store' })
  return [
    route({ ...page, url: '/', summary: 'Leads to the console', handler: redirect }),
    route({ ...page, url: '/console', summary: 'Leads to the console', handler: redirect }),
    route({
      ...page,
      url: '/console/*',
      summary: 'The console',
      handler: ({ request }) => serve((request.params as { '*': string })['*'], request),
    }),
  ]
}

interface Options {
  /** Of the built console. */
  directory?: string
  tiles?: MapTiles | undefined
}

interface ConsoleRequest {
  host: string
  headers: IncomingHttpHeaders
}

const notBuiltHeaders = {
  ...pageHeaders,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}

/** Files are at the top or have a hash in their name; ids in the addresses of pages may contain dots too. */
const isFile = (path: string) => isHashedName(path) || /^[^/]*\.\w+$/.test(path)

/**
 * A 304 has no policy: the browser keeps the policy of the page in its cache, whose nonce that page contains. Other tiles
 * are another page, since they change both.
 */
function createPageSender(tiles: MapTiles | undefined) {
  const ofTiles = tiles && createHash('sha256').update(JSON.stringify(tiles)).digest('base64url').slice(0, 8)
  return ({ bytes, etag: ofFile, type }: Asset, { headers, host }: ConsoleRequest): Answer => {
    const etag = ofTiles === undefined ? ofFile : ofFile.replace(/"$/, `-${ofTiles}"`)
    const cached = { etag, 'cache-control': 'no-cache' }
    if (isKnown(etag, headers)) return answer(304, undefined, cached)
    const nonce = makeNonce()
    const page = insertNonce(bytes.toString(), nonce)
    return answer(200, tiles ? insertTiles(page, tiles) : page, {
      ...pageHeaders,
      ...cached,
      'content-type': type,
      'content-security-policy': makePolicy(host, nonce, tiles?.template.origin),
    })
  }
}

/** The tiles of the configuration, which has both of its settings or neither. */
export const configuredTiles = ({ mapTiles, mapAttribution }: Config): MapTiles | undefined =>
  mapTiles && mapAttribution ? { template: mapTiles, attribution: mapAttribution } : undefined

const isKnown = (etag: string, { 'if-none-match': known = '' }: IncomingHttpHeaders) =>
  known
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .includes(etag)
