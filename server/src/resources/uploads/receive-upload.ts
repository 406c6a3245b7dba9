/**
 * Receives a form with one file. The file is streamed into the storage as it arrives, in any order of the fields, and
 * its record is written afterwards. A failure in between leaves nothing behind.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Multipart } from '@fastify/multipart'
import type { Context } from '../../context.ts'
import { ApiError, validationError } from '../../http/errors.ts'
import { chooseContentType, HEAD_BYTES } from '../files/content-type.ts'
import { cleanFileName } from '../files/file-name.ts'
import type { FileStorage, StoredFile } from '../files/storage.ts'

export interface ReceivedFile extends StoredFile {
  name: string
  contentType: string
}

export interface Upload {
  file: ReceivedFile
  /** The other fields of the form, by name; text, or what a part of type `application/json` held. */
  fields: Record<string, unknown>
}

/** Bytes read ahead of the storage, so that reading and writing overlap. */
const AHEAD_BYTES = 512 * 1024
const MAX_FIELDS = 20
const MAX_FIELD_BYTES = 64 * 1024
/** The greatest size of a form without its file. */
const FORM_BYTES = 1024 * 1024
/**
 * A client that is still sending does not read the answer, so the rest is discarded for a while before the connection is
 * closed.
 */
const DISCARD_MS = 5000

/**
 * @param use writes the record; if it throws a refusal, the file is deleted again
 * @throws payload_too_large, unsupported_media_type, validation_error
 */
export async function withUpload<T>(
  ctx: Pick<Context, 'files' | 'config'>,
  request: FastifyRequest,
  reply: FastifyReply,
  use: (upload: Upload) => Promise<T>,
): Promise<T> {
  const upload = await receive(ctx, request).catch((error: unknown) => {
    reply.header('connection', 'close')
    discardRest(request.raw)
    throw error
  })
  try {
    return await use(upload)
  } catch (error) {
    // After an unknown commit result the record may exist, so the sweep decides about the file.
    if (error instanceof ApiError) await ctx.files.delete(upload.file.key)
    throw error
  }
}

async function receive({ files, config }: Pick<Context, 'files' | 'config'>, request: FastifyRequest) {
  const { uploadLimit } = config
  if (Number(request.headers['content-length'] ?? 0) > uploadLimit + FORM_BYTES) throw tooLarge(uploadLimit)
  const limits = { files: 1, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, fileSize: Infinity }
  const fields: Record<string, unknown> = {}
  let file: ReceivedFile | undefined
  try {
    for await (const part of request.parts({
      limits,
      fileHwm: AHEAD_BYTES,
      highWaterMark: AHEAD_BYTES,
    })) {
      if (part.type === 'file') file = await store(files, part, uploadLimit)
      else addField(fields, part)
    }
    if (!file)
      throw validationError({ path: 'file', message: 'is missing: send it as a part with a file name' })
  } catch (error) {
    if (file) await files.delete(file.key)
    throw toApiError(request.raw, error)
  }
  return { file, fields }
}

async function store(files: FileStorage, part: Extract<Multipart, { type: 'file' }>, uploadLimit: number) {
  if (part.fieldname !== 'file')
    throw validationError({
      path: part.fieldname.slice(0, 100),
      message: 'is no field for a file; name it file',
    })
  const head = createHead()
  const requireWithin = createLimit(uploadLimit)
  const stored = await files.put(part.file, (chunk) => {
    requireWithin(chunk)
    head.add(chunk)
  })
  return {
    ...stored,
    name: cleanFileName(part.filename),
    contentType: chooseContentType(part.mimetype, head.bytes()),
  }
}

/** @throws payload_too_large at the first byte beyond the limit */
function createLimit(maxBytes: number) {
  let size = 0
  return (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
  }
}

/** Collects the first bytes, however they are divided into chunks. */
function createHead() {
  let head = Buffer.alloc(0)
  return {
    add(chunk: Buffer) {
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)])
    },
    bytes: () => head,
  }
}

function addField(fields: Record<string, unknown>, part: Extract<Multipart, { type: 'field' }>) {
  const path = part.fieldname
  if (part.valueTruncated)
    throw validationError({ path, message: `must not have more than ${MAX_FIELD_BYTES} bytes` })
  if (Object.hasOwn(fields, path)) throw validationError({ path, message: 'is in the form twice' })
  fields[path] = part.value
}

const tooLarge = (limit: number) =>
  new ApiError('payload_too_large', `A file has at most ${limit} bytes here.`, { limit })

/** Maps errors of the form parser to refusals. */
function toApiError(request: IncomingMessage, error: unknown) {
  if (error instanceof ApiError) return error
  if (request.destroyed && !request.complete)
    return validationError({ path: 'body', message: 'ended early; nothing of it was stored' })
  const { code = '', message } = error as { code?: string; message: string }
  if (code === 'FST_FILES_LIMIT') return validationError({ path: 'file', message: 'one form has one file' })
  if (code === 'FST_FIELDS_LIMIT')
    return validationError({ path: 'body', message: `has more than ${MAX_FIELDS} fields` })
  const isOfForm = code.startsWith('FST_') || /multipart|boundary|terminated early/i.test(message)
  return isOfForm ? validationError({ path: 'body', message: `cannot be read (${message})` }) : error
}

function discardRest(request: IncomingMessage) {
  if (request.complete || request.destroyed) return
  request.unpipe()
  request.resume()
  const cut = setTimeout(() => request.destroy(), DISCARD_MS)
  request.once('close', () => clearTimeout(cut))
}
