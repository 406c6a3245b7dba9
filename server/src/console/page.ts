/** The page of the console, and what it may load. [docs/console#security] */
import { randomBytes } from 'node:crypto'
import type { TileTemplate } from '../lib/tile-template.ts'

/** What the build writes where a nonce belongs; Vite calls the option `html.cspNonce`. */
const NONCE_PLACEHOLDER = '__CSP_NONCE__'

export const makeNonce = () => randomBytes(16).toString('base64')

export const insertNonce = (page: string, nonce: string) => page.replaceAll(NONCE_PLACEHOLDER, nonce)

/** Tiles of maps, with the words of their owner. [docs/console#map-tiles] */
export interface MapTiles {
  template: TileTemplate
  attribution: string
}

const quotes: Record<string, string> = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' }
const quote = (text: string) => text.replaceAll(/[&"<>]/g, (character) => quotes[character]!)

/** Says in the page where its maps find their tiles. */
export const insertTiles = (page: string, { template, attribution }: MapTiles) =>
  page.replace(
    '</head>',
    () =>
      `<meta name="map-tiles" content="${quote(template.address)}" data-attribution="${quote(attribution)}" /></head>`,
  )

/**
 * @param tileOrigin from where pictures may be loaded, too
 * @param host of the request, for browsers whose `'self'` does not include WebSockets
 * @param nonce allows style elements that the console adds; scripts come from files alone
 */
export function makePolicy(host: string, nonce: string, tileOrigin?: string): string {
  const sockets = /^[\w.:[\]-]+$/.test(host) ? ` ws://${host} wss://${host}` : ''
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `connect-src 'self'${sockets}`,
    `img-src 'self' data: blob:${tileOrigin === undefined ? '' : ` ${tileOrigin}`}`,
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

export const pageHeaders = {
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Shown while there is no bundle. */
export const notBuiltPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Gangway</title>
  </head>
  <body>
    <h1>The console has not been built</h1>
    <p>The server is running; its API is at <a href="/docs">/docs</a>. To build the console, run in the checkout of Gangway:</p>
    <pre>npm ci
npm run build</pre>
    <p>Then load this page again.</p>
  </body>
</html>
`
