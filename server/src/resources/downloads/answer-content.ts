/** Answers with a resource's bytes: all, a range, or none if the client has them already. */
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { IDLE_MS } from '../../http/body-timeout.ts'
import { errorBody, validationError } from '../../http/errors.ts'
import { answer, type Answer } from '../../http/route.ts'
import { isInline } from '../files/content-type.ts'
import { cleanFileName, contentDisposition } from '../files/file-name.ts'
import type { ByteRange } from '../files/storage.ts'
import type { ResourceRow } from '../schema.ts'
import { isUnchanged, readRange, type Version } from './conditions.ts'

export async function answerContent(
  { files }: Pick<Context, 'files'>,
  resource: ResourceRow,
  { method, headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer> {
  const size = Number(resource.size)
  const version = { etag: `"${resource.sha256}"`, changedAt: resource.changed_at, size }
  if (isUnchanged(headers, version)) return answer(304, undefined, versionHeaders(version))
  const range = readRange(headers, version)
  if (range === 'unsatisfiable') return outOfRange(size)
  const isPart = range !== 'none'
  const { start, end } = isPart ? range : { start: 0, end: size - 1 }
  const all = {
    ...versionHeaders(version),
    ...contentHeaders(resource),
    'content-length': String(end - start + 1),
    ...(isPart && { 'content-range': `bytes ${start}-${end}/${size}` }),
  }
  reply.raw.setTimeout(IDLE_MS)
  // Fastify uses this handler for HEAD too, and keeps the given content-length only for a stream.
  const body = method === 'HEAD' ? Readable.from([]) : await open(files, resource, isPart ? range : undefined)
  return answer(isPart ? 206 : 200, body, all)
}

async function open(files: Context['files'], resource: ResourceRow, range?: ByteRange) {
  if (resource.file_key !== null) return files.open(resource.file_key, range)
  const bytes = Buffer.from(JSON.stringify(resource.document))
  return range ? bytes.subarray(range.start, range.end + 1) : bytes
}

const versionHeaders = ({ etag, changedAt }: Version) => ({
  etag,
  'last-modified': changedAt.toUTCString(),
  'accept-ranges': 'bytes',
  // Clients may cache it but must revalidate, since its content and the permissions can change.
  'cache-control': 'private, no-cache',
})

/** The content must not run scripts: a browser neither guesses another type nor gives it this origin. */
const contentHeaders = ({ content_type, original_file_name, display_name }: ResourceRow) => ({
  'content-type': content_type,
  'content-disposition': contentDisposition(
    isInline(content_type) ? 'inline' : 'attachment',
    original_file_name ?? cleanFileName(`${display_name}.json`),
  ),
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
})

const outOfRange = (size: number) =>
  answer(
    416,
    errorBody(validationError({ path: 'range', message: `must lie within ${size} bytes` }), 'platform'),
    {
      'content-range': `bytes */${size}`,
    },
  )
