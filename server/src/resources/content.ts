/** The content of a resource: a file or a JSON document. One never becomes the other. */
import { ApiError } from '../http/errors.ts'
import { hashSha256 } from './files/measure.ts'
import type { ResourceRow } from './schema.ts'
import type { ReceivedFile } from './uploads/receive-upload.ts'

export interface Content {
  contentType: string
  size: number
  /** Hexadecimal. */
  sha256: string
  document: Record<string, unknown> | null
  file: { key: string; name: string } | null
}

export const contentOfFile = ({ key, name, contentType, size, sha256 }: ReceivedFile): Content => ({
  contentType,
  size,
  sha256,
  document: null,
  file: { key, name },
})

export function contentOfDocument(document: Record<string, unknown>): Content {
  const text = JSON.stringify(document)
  return {
    contentType: 'application/json',
    size: Buffer.byteLength(text),
    sha256: hashSha256(text),
    document,
    file: null,
  }
}

export const readContent = (row: ResourceRow): Content => ({
  contentType: row.content_type,
  size: Number(row.size),
  sha256: row.sha256,
  document: row.document,
  file: row.file_key === null ? null : { key: row.file_key, name: row.original_file_name! },
})

/** @throws conflict */
export function requireDocument(row: ResourceRow): void {
  if (row.document === null)
    throw new ApiError(
      'conflict',
      'This resource is a file. Replace it with PUT /v1/resources/upload/{resourceId}.',
    )
}

/** @throws conflict */
export function requireFile(row: ResourceRow): void {
  if (row.file_key === null)
    throw new ApiError(
      'conflict',
      'This resource is a JSON document. Change it with PATCH /v1/resources/{resourceId}.',
    )
}

/**
 * @param sha256 of the content on which a change was made
 * @throws conflict with the digest of what is there now
 */
export function requireUnchanged(row: ResourceRow, sha256: string): void {
  if (row.sha256 === sha256) return
  const message = 'The resource has been changed since. Read it again and repeat the change.'
  throw new ApiError('conflict', message, { sha256: row.sha256 })
}
