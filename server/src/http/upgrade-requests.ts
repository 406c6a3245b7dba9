import { IncomingMessage } from 'node:http'

/**
 * Ignores requests to upgrade to a protocol other than WebSocket and answers them over HTTP/1.1. Node would pass every
 * request with an Upgrade header to the WebSocket server, also those of HTTP clients that try HTTP/2 (h2c).
 */
export class UpgradableRequest extends IncomingMessage {
  declare private asksUpgrade?: boolean

  /** Node sets this before it has read the headers and reads it afterwards. */
  get upgrade(): boolean {
    const isWebSocket = /^websocket$/i.test(this.headers.upgrade ?? '')
    return this.asksUpgrade === true && (isWebSocket || this.method === 'CONNECT')
  }

  set upgrade(asked: boolean | null) {
    this.asksUpgrade = asked === true
  }
}
