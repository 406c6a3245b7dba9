/** S3-compatible storage in a directory of its own, with one bucket. */
import S3rver from 's3rver'
import { temporaryDirectory } from './temporary-directory.ts'

export interface S3Server extends AsyncDisposable {
  /** As `GANGWAY_FILES_URL`. */
  url: string
}

export async function startS3Server(): Promise<S3Server> {
  const directory = await temporaryDirectory()
  const configureBuckets = [{ name: 'files', configs: [] }]
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: directory.path,
    configureBuckets,
  })
  const { port } = await server.run()
  return {
    url: `s3://S3RVER:S3RVER@127.0.0.1:${port}/files/gangway?tls=false`,
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await directory[Symbol.asyncDispose]()
    },
  }
}
