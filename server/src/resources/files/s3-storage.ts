/** Files in S3-compatible storage, sent in parts: an upload holds two parts in memory, whatever its size. */
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
  const client = createClient(location)
  const at = (key: string) => ({ Bucket, Key: prefix + key })

  return {
    async put(content, see) {
      const key = newId()
      const measure = createMeasure(see)
      const Body = createObservedStream(measure.add)
      const upload = new Upload({ client, params: { ...at(key), Body }, queueSize: PARTS_AT_ONCE })
      const feeding = pipeline(content, Body).catch(() => {})
      try {
        await upload.done()
      } catch (error) {
        // Why the content itself ended early says more than what that led to at the storage.
        const { errored } = Body
        Body.destroy()
        await feeding
        throw errored ?? toStorageError(key, error)
      }
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
    async deleteUnfinished(before) {
      for (const { Key, UploadId, Initiated } of await listUnfinished(client, Bucket, prefix))
        if (Initiated && Initiated < before)
          await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
    },
    check: async () => void (await client.send(new HeadBucketCommand({ Bucket }))),
    async [Symbol.asyncDispose]() {
      client.destroy()
    },
  }
}

const createClient = ({ endpoint, region, accessKeyId, secretAccessKey }: S3Location) =>
  new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    // Not every compatible storage knows the newer checksums; ours is in the database.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })

/** The first thousand; the next sweep finds the rest. Some compatible storages have no such list. */
async function listUnfinished(client: S3Client, Bucket: string, Prefix: string) {
  try {
    const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }))
    return Uploads ?? []
  } catch (error) {
    if (errorName(error) === 'NotImplemented') return []
    throw error
  }
}

/** What is configured wrong is an error of ours; what passes is worth another try. */
function toStorageError(key: string, error: unknown) {
  if (['NoSuchKey', 'NotFound'].includes(errorName(error))) return new MissingFileError(key)
  const { httpStatusCode = 503 } = (error as Partial<S3ServiceException>).$metadata ?? {}
  return httpStatusCode < 500
    ? error
    : new ApiError('unavailable', 'The storage of files does not answer. Try again.', {}, 5)
}

const errorName = (error: unknown) => (error as Error).name
