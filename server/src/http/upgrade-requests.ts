import { IncomingMessage } from 'node:http'

/**
 * A request that asks for another protocol than WebSocket is answered over HTTP/1.1, as one that does not ask. Node would
 * hand every request with an Upgrade header to the WebSocket side, those of HTTP clients that try HTTP/2 (h2c) too.
 */
export class UpgradableRequest extends IncomingMessage {
  declare private asksUpgrade?: boolean

  /** Set by Node before it has read the headers, and read after that. */
  get upgrade(): boolean {
    const isWebSocket = /^websocket$/i.test(this.headers.upgrade ?? '')
    return this.asksUpgrade === true && (isWebSocket || this.method === 'CONNECT')
  }

  set upgrade(asked: boolean | null) {
    this.asksUpgrade = asked === true
  }
}
