/** Parts of an S3 URL: `s3://key:secret@host:port/bucket/prefix?region=eu-central-1&tls=false`. */
export interface S3Location {
  endpoint: string
  bucket: string
  /** Prefix of each key; empty, or ends with `/`. */
  prefix: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** @throws Error whose message does not contain the secret */
export function parseS3Url(text: string): S3Location {
  if (!URL.canParse(text)) throw new Error('must be a URL like s3://key:secret@host:9000/bucket')
  const url = new URL(text)
  if (url.protocol !== 's3:') throw new Error('must start with s3://')
  if (!url.username || !url.password) throw new Error('must name its credentials: s3://key:secret@…')
  const [bucket, ...folders] = decodeURIComponent(url.pathname).split('/').filter(Boolean)
  if (!url.host || !bucket) throw new Error('must name a host and a bucket: s3://key:secret@host:9000/bucket')
  const { region = 'us-east-1', tls = 'true', ...unknown } = Object.fromEntries(url.searchParams)
  if (Object.keys(unknown).length > 0) throw new Error('knows only the options region and tls')
  if (tls !== 'true' && tls !== 'false') throw new Error('tls must be true or false')
  return {
    endpoint: `${tls === 'true' ? 'https' : 'http'}://${url.host}`,
    bucket,
    prefix: folders.map((folder) => `${folder}/`).join(''),
    region,
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  }
}
