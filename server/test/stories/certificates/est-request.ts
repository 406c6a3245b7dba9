/** Single EST requests over TLS, also such as no client would send. */
import { X509Certificate } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Readable } from 'node:stream'
import { readCertificates } from '../../../../device/src/certificates/certificates-only.ts'

export interface EstAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

export interface EstMessage {
  /** Default: POST. */
  method?: string
  body?: string | Buffer | Readable
  /** `user:password` */
  basic?: string
  /** A client certificate with its issuers, PEM. */
  cert?: string
  key?: string
  headers?: Record<string, string>
  /** Called when the connection is up, before the request is sent. */
  onConnected?: () => void
}

/** @param ca the authority of the server's certificate, PEM */
export function sendEst(url: string, ca: string | Buffer, message: EstMessage): Promise<EstAnswer> {
  const { method = 'POST', body = '', basic, cert, key, headers, onConnected } = message
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      agent: false,
      ca,
      cert,
      key,
      // OpenSSL would not send a certificate with a weak signature otherwise.
      ciphers: 'DEFAULT@SECLEVEL=0',
      headers: {
        'content-type': 'application/pkcs10',
        'content-transfer-encoding': 'base64',
        ...(basic !== undefined && { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }),
        ...headers,
      },
    })
    let isAnswered = false
    // A server may answer a body that is too large, and close, before all of it was sent.
    sent.on('error', (error) => !isAnswered && reject(error))
    sent.on('response', (answer) => {
      isAnswered = true
      text(answer).then(
        (answerText) => resolve({ status: answer.statusCode!, headers: answer.headers, body: answerText }),
        reject,
      )
    })
    const send = () => {
      onConnected?.()
      if (typeof body === 'string' || Buffer.isBuffer(body)) sent.end(body)
      else body.pipe(sent)
    }
    if (onConnected) sent.once('socket', (socket) => socket.once('secureConnect', send))
    else send()
  })
}

/** EST answers errors as text, since its clients show them to people. */
export const readErrorCode = ({ body }: EstAnswer): string => body.slice(0, Math.max(0, body.indexOf(':')))

/** The device's certificate, which stands first or is the only one that is no authority. */
export function readIssued({ status, body }: EstAnswer): X509Certificate {
  if (status !== 200) throw new Error(`the server answered ${status}: ${body}`)
  return readCertificates(Buffer.from(body, 'base64')).find(({ ca }) => !ca)!
}
