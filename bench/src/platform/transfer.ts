/** Transfers large files over HTTP with one chunk in memory. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'

export const CHUNK_BYTES = 1024 * 1024
const chunk = randomBytes(CHUNK_BYTES)
const BOUNDARY = 'bench-boundary'
const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="bench.bin"\r\n\r\n`
const tail = `\r\n--${BOUNDARY}--\r\n`

interface Target {
  url: string
  token?: string
}

/** As a form with one file. @returns what the server answered */
export async function send<T>({ url, token }: Target, chunks: number): Promise<T> {
  const upload = request(url, {
    method: 'POST',
    headers: {
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': head.length + chunks * CHUNK_BYTES + tail.length,
      ...(token && { authorization: `Bearer ${token}` }),
    },
  })
  const answered = once(upload, 'response')
  upload.write(head)
  for (let sent = 0; sent < chunks; sent++) if (!upload.write(chunk)) await once(upload, 'drain')
  upload.end(tail)
  const [response] = await answered
  const answer = (await json(response)) as T & { message?: string }
  if (response.statusCode !== 201) throw new Error(`POST ${url}: ${response.statusCode} ${answer.message}`)
  return answer
}

/** @throws if the size differs */
export async function receive({ url, token }: Target, bytes: number): Promise<void> {
  const download = request(url, { headers: { ...(token && { authorization: `Bearer ${token}` }) } })
  download.end()
  const [response] = await once(download, 'response')
  let received = 0
  response.on('data', (data: Buffer) => (received += data.length))
  await once(response, 'end')
  if (received !== bytes) throw new Error(`GET ${url}: ${response.statusCode}, ${received} of ${bytes} bytes`)
}
