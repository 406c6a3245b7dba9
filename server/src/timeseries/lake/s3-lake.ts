import {
  DeleteObjectCommand,
  GetObjectCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { S3Location } from '../../lib/s3-url.ts'
import { abortUnfinished, createS3Client, uploadContent } from '../../resources/files/s3-storage.ts'
import type { LakeStorage } from './lake-storage.ts'

export function createS3Lake(location: S3Location): LakeStorage {
  const { bucket: Bucket, prefix } = location
  const client = createS3Client(location)
  const at = (path: string) => ({ Bucket, Key: prefix + path })
  return {
    write: (path, content) => uploadContent(client, at(path), { content }),
    async read(path) {
      try {
        const { Body } = await client.send(new GetObjectCommand(at(path)))
        return Buffer.from(await Body!.transformToByteArray())
      } catch (error) {
        if (['NoSuchKey', 'NotFound'].includes((error as Error).name)) return undefined
        throw error
      }
    },
    delete: async (path) => void (await client.send(new DeleteObjectCommand(at(path)))),
    deleteFolder: (path) => deleteBelow(client, at(`${path}/`)),
    deleteUnfinished: (before) => abortUnfinished(client, location, before),
    async [Symbol.asyncDispose]() {
      client.destroy()
    },
  }
}

async function deleteBelow(
  client: S3Client,
  { Bucket, Key: Prefix }: { Bucket: string; Key: string },
): Promise<void> {
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix }))
    for (const { Key } of Contents) await client.send(new DeleteObjectCommand({ Bucket, Key }))
}
