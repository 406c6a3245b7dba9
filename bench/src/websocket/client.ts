/** A minimal WebSocket client, so that a thousand of them need little processor time. [RFC 6455] */
import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { frameReader, pongFrame, textFrame } from './frames.ts'

export interface WebSocketClient {
  send(text: string): void
}

export async function openWebSocket(
  url: string,
  protocol: string,
  onText: (text: string) => void,
): Promise<WebSocketClient> {
  const asked = request(url.replace(/^ws/, 'http'), {
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-protocol': protocol,
    },
  })
  asked.end()
  const [, socket, head] = (await once(asked, 'upgrade')) as [unknown, Socket, Buffer]
  const read = frameReader({ onText, onPing: () => void socket.write(pongFrame()) })
  read(head)
  socket.on('data', read)
  // The end of the connection fails the case, which receives fewer messages than were sent.
  socket.on('error', () => {})
  return { send: (text) => void socket.write(textFrame(text)) }
}
