/** The WebSocket of the server's packages, for clients that run on Node.js 20. */
export { WebSocket } from 'ws'
