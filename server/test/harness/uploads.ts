/** Forms with a file, and uploads that are interrupted. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Platform, RequestOptions } from './platform.ts'

export interface FileForm {
  content?: string | Uint8Array<ArrayBuffer>
  name?: string
  type?: string
  fields?: Record<string, string>
}

export function fileForm({
  content = 'some text',
  name = 'a.txt',
  type = 'text/plain',
  fields = {},
}: FileForm) {
  const form = new FormData()
  form.append('file', new Blob([content], { type }), name)
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  return form
}

export const upload = (platform: Platform, form: FileForm = {}, options: RequestOptions = {}) =>
  platform.post('/v1/resources/upload', fileForm(form), options)

/** Sends the bytes unchanged, also such that no client library would send. */
export const rawForm = (...parts: string[]) => ({
  body: Buffer.from(`${parts.map((part) => `--edge\r\n${part}\r\n`).join('')}--edge--\r\n`),
  headers: { 'content-type': 'multipart/form-data; boundary=edge' },
})

/** Sends an incomplete request and returns the socket. */
export async function startUpload(
  platform: Platform,
  path: string,
  contentLength: number,
  start: string | Buffer,
) {
  const { port } = new URL(platform.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(
    [
      `${path.startsWith('/v1/resources/upload/') ? 'PUT' : 'POST'} ${path} HTTP/1.1`,
      'host: test',
      `authorization: Bearer ${platform.adminToken}`,
      'content-type: multipart/form-data; boundary=edge',
      `content-length: ${contentLength}`,
      '',
      '',
    ].join('\r\n'),
  )
  socket.write(start)
  return socket
}

export const partStart = '--edge\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'
