import { ApiError, validationError } from '../../../http/errors.ts'

/** A request with 1,000 alternative names still gets a refusal that says so. */
export const MAX_REQUEST_BYTES = 64 * 1024
const REQUEST_TYPE = 'application/pkcs10'

/** Reads base64, wrapped at any length or not (RFC 8951). @throws validation_error, unsupported_media_type */
export function decodeRequestBody(body: unknown, contentType: string | undefined): Buffer {
  const type = contentType?.split(';', 1)[0]!.trim().toLowerCase()
  if (type !== REQUEST_TYPE) {
    const found = contentType ? `is "${contentType.slice(0, 128)}"` : 'has no Content-Type'
    const message = `Send the certificate request with \`Content-Type: ${REQUEST_TYPE}\`; this one ${found}.`
    throw new ApiError('unsupported_media_type', message)
  }
  const text = Buffer.isBuffer(body) ? body.toString('latin1') : ''
  if (text.startsWith('-----BEGIN'))
    throw refuse('is PEM. Send the base64 alone, without the lines BEGIN and END')
  const encoded = text.replaceAll(/[\r\n\t ]/g, '')
  if (encoded === '') throw refuse('is empty. Send a certificate request in DER, encoded in base64')
  if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded))
    throw refuse(
      'is not base64. Send the request in DER, encoded in base64: openssl req -outform DER | base64',
    )
  return Buffer.from(encoded, 'base64')
}

const refuse = (message: string) => validationError({ path: 'body', message })
