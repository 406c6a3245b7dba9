import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseS3Url, type S3Location } from './s3-url.ts'

/** Location of the lake: a folder or S3-compatible storage. */
export type LakeLocation = { folder: string; s3?: undefined } | { folder?: undefined; s3: S3Location }

/** @throws Error whose message does not contain the secret */
export function parseLakeUrl(text: string): LakeLocation {
  if (text.startsWith('s3:')) return { s3: parseS3Url(text) }
  if (isAbsolute(text)) return { folder: resolve(text) }
  if (!URL.canParse(text) || new URL(text).protocol !== 'file:')
    throw new Error(
      'must be an absolute path, a URL like file:///srv/lake, or one like s3://key:secret@host:9000/bucket',
    )
  const url = new URL(text)
  if (url.host) throw new Error('must name no host: file:///srv/lake')
  return { folder: resolve(fileURLToPath(url)) }
}
