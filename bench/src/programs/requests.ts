/** Clients over keep-alive connections, one request at a time on each. */
import { createConnection } from 'node:net'
import { isWholeAnswer } from '../http/is-whole-answer.ts'
import { median, percentile } from '../measure/statistics.ts'
import { ignoreInterrupt, serve } from './serve.ts'

export interface Request {
  method: 'GET' | 'POST'
  path: string
  authorization: string
  body?: object
}

const handlers = {
  /**
   * @param requests asked again and again; the connections share them out, so that no two ask the same at once
   * @returns requests answered a second
   * @throws for an answer other than 200 or 201
   */
  async askFor(url: string, requests: Request[], connections: number, seconds: number) {
    const startedMs = performance.now()
    const untilMs = startedMs + seconds * 1000
    const millis = await Promise.all(
      Array.from({ length: connections }, (_, index) => {
        const own = requests.filter((_request, place) => place % connections === index)
        return ask(url, repeated(own, untilMs))
      }),
    )
    return millis.flat().length / ((performance.now() - startedMs) / 1000)
  },

  /**
   * Sends each request once, one after the other.
   * @throws for an answer other than 200 or 201
   */
  async askEach(url: string, requests: Request[]) {
    const millis = await ask(url, requests.values())
    return { p50Ms: median(millis), p95Ms: percentile(millis, 95) }
  },
}

export type RequestsProgram = typeof handlers

function* repeated(requests: Request[], untilMs: number): Generator<Request, undefined> {
  for (let place = 0; performance.now() < untilMs; place++) yield requests[place % requests.length]!
}

/** @returns how long each answer took, in ms */
function ask(url: string, requests: Iterator<Request, unknown>): Promise<number[]> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port: Number(port), host: hostname, noDelay: true })
    const millis: number[] = []
    let received = ''
    let askedMs = 0
    const askNext = () => {
      const next = requests.next()
      if (!next.done) {
        const text = writeRequest(next.value, `${hostname}:${port}`)
        askedMs = performance.now()
        return void socket.write(text)
      }
      resolve(millis)
      socket.destroy()
    }
    socket.on('connect', askNext)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection')))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (!isWholeAnswer(received)) return
      if (!/^HTTP\/1\.1 20[01] /.test(received))
        return reject(new Error(`answered: ${received.slice(0, 500)}`))
      millis.push(performance.now() - askedMs)
      received = ''
      askNext()
    })
  })
}

function writeRequest({ method, path, authorization, body }: Request, host: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${authorization}\r\n`
  if (!body) return `${head}\r\n`
  const json = JSON.stringify(body)
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
}

ignoreInterrupt()
serve(handlers)
