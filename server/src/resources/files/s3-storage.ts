/**
 * Stores files in S3-compatible storage. An upload is sent in parts and holds two parts in memory, whatever its size.
 */
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ServiceException,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { ApiError } from '../../http/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { S3Location } from '../../lib/s3-url.ts'
import { createMeasure, createObservedStream } from './measure.ts'
import { type FileStorage, MissingFileError } from './storage.ts'

const PARTS_AT_ONCE = 2

export function createS3Storage(location: S3Location): FileStorage {
  const { bucket: Bucket, prefix } = location
  const client = createS3Client(location)
  const at = (key: string) => ({ Bucket, Key: prefix + key })

  return {
    async put(content, see) {
      const key = newId()
      const measure = createMeasure(see)
      await uploadContent(client, at(key), { content, see: measure.add })
      return { key, ...measure.result() }
    },
    async open(key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`
      try {
        const { Body } = await client.send(new GetObjectCommand({ ...at(key), Range }))
        return Body as Readable
      } catch (error) {
        throw toStorageError(key, error)
      }
    },
    delete: async (key) => void (await client.send(new DeleteObjectCommand(at(key)))),
    async *listOlder(before) {
      for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix }))
        for (const { Key, LastModified } of page.Contents ?? [])
          if (Key && LastModified && LastModified < before) yield Key.slice(prefix.length)
    },
    deleteUnfinished: (before) => abortUnfinished(client, location, before),
    check: async () => void (await client.send(new HeadBucketCommand({ Bucket }))),
    async [Symbol.asyncDispose]() {
      client.destroy()
    },
  }
}

/** Replaces the object as a whole, or throws and changes nothing. */
export async function uploadContent(
  client: S3Client,
  at: { Bucket: string; Key: string },
  { content, see = () => {} }: { content: AsyncIterable<Uint8Array>; see?: (chunk: Buffer) => void },
): Promise<void> {
  const Body = createObservedStream(see)
  const upload = new Upload({ client, params: { ...at, Body }, queueSize: PARTS_AT_ONCE })
  const feeding = pipeline(content, Body).catch(() => {})
  try {
    await upload.done()
  } catch (error) {
    // The error of the content is more useful than the storage error that it caused.
    const { errored } = Body
    Body.destroy()
    await feeding
    throw errored ?? toStorageError(at.Key, error)
  }
}

export async function abortUnfinished(
  client: S3Client,
  { bucket: Bucket, prefix }: S3Location,
  before: Date,
): Promise<void> {
  for (const { Key, UploadId, Initiated } of await listUnfinished(client, Bucket, prefix))
    if (Initiated && Initiated < before)
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
}

export const createS3Client = ({ endpoint, region, accessKeyId, secretAccessKey }: S3Location) =>
  new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    // Not every compatible storage supports the newer checksums; digests are in the database.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })

/**
 * Lists the first thousand unfinished uploads; the next sweep finds the rest. Some compatible storages do not support
 * this.
 */
async function listUnfinished(client: S3Client, Bucket: string, Prefix: string) {
  try {
    const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }))
    return Uploads ?? []
  } catch (error) {
    if (errorName(error) === 'NotImplemented') return []
    throw error
  }
}

/** Configuration errors stay internal errors; temporary failures become `unavailable`, which clients retry. */
function toStorageError(key: string, error: unknown) {
  if (['NoSuchKey', 'NotFound'].includes(errorName(error))) return new MissingFileError(key)
  const { httpStatusCode = 503 } = (error as Partial<S3ServiceException>).$metadata ?? {}
  return httpStatusCode < 500
    ? error
    : new ApiError('unavailable', 'The storage of files does not answer. Try again.', {}, 5)
}

const errorName = (error: unknown) => (error as Error).name
