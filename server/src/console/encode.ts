/** Compresses the console's files well, each once: the best levels would be too slow for answers that change. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Asset } from './bundle.ts'

type Encoding = 'br' | 'gzip'

/** Higher levels take several times as long for 2 % less. */
const BROTLI_QUALITY = 9
/** A smaller file fits into one packet anyway. */
const THRESHOLD_BYTES = 1024

const compressors: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
}

const isText = ({ type }: Asset) => /^(text\/|application\/(json|manifest)|image\/svg)/.test(type)

/** @returns a function that compresses each file at its first request and keeps the result with the file */
export function createEncoder() {
  const known = new WeakMap<Asset, Partial<Record<Encoding, Promise<Buffer>>>>()
  return async (asset: Asset, accepted: string | undefined) => {
    const encoding = isText(asset) && asset.bytes.length >= THRESHOLD_BYTES && chooseEncoding(accepted)
    if (!encoding) return { bytes: asset.bytes }
    const encoded = known.get(asset) ?? {}
    known.set(asset, encoded)
    return { bytes: await (encoded[encoding] ??= compressors[encoding](asset.bytes)), encoding }
  }
}

/** @param accepted the header Accept-Encoding */
export function chooseEncoding(accepted = ''): Encoding | undefined {
  const refused = /;\s*q=0(\.0*)?\s*$/
  const names = accepted
    .toLowerCase()
    .split(',')
    .filter((part) => !refused.test(part))
    .map((part) => part.split(';')[0]!.trim())
  return (['br', 'gzip'] as const).find((encoding) => names.includes(encoding))
}
