/**
 * The baseline of `files`: only streams a body into a file, and a file into an answer. Each body gets its own file, as
 * with the platform: overwriting one costs a fraction of new memory and new blocks.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ignoreInterrupt, serve } from './serve.ts'

let directory = ''

const handlers = {
  /** @returns its URL, where the last file is */
  async listen() {
    directory = await mkdtemp(join(tmpdir(), 'gangway-bench-files-'))
    let files = 0
    const filePath = (file: number) => join(directory, `${file}`)
    const server = createServer({ requestTimeout: 0 }, async (request, response) => {
      if (request.method === 'GET') return void (await pipeline(createReadStream(filePath(files)), response))
      await pipeline(request, createWriteStream(filePath(++files), { flush: true }))
      response.writeHead(201).end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
  deleteFiles: () => rm(directory, { recursive: true, force: true }),
}

export type BareFilesProgram = typeof handlers

ignoreInterrupt()
serve(handlers)
