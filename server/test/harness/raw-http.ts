/** Sends HTTP as bytes, for requests that no client library would send. */
import { once } from 'node:events'
import { connect } from 'node:net'

/** @returns the answer until the server closed the connection; its body has to be JSON */
export async function exchange(url: string, text: string) {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) })
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(text, 'latin1')
  await once(socket, 'close')
  const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: new Headers(headers),
    body: JSON.parse(body) as Record<string, unknown>,
  }
}
