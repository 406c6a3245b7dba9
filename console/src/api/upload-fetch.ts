/**
 * Sends requests by XMLHttpRequest, which reports the sent bytes of a body; `fetch` does not.
 *
 * @param onProgress receives the sent share of the body, from 0 to 1
 */
export const createUploadFetch =
  (onProgress: (share: number) => void): typeof fetch =>
  (address, { method = 'GET', headers = {}, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      const abort = () => request.abort()
      request.open(method, String(address))
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
      request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total))
      request.addEventListener('load', () => resolve(readResponse(request)))
      request.addEventListener('error', () => reject(new TypeError('The connection broke.')))
      request.addEventListener('abort', () => reject(signal?.reason))
      request.addEventListener('loadend', () => signal?.removeEventListener('abort', abort))
      if (signal?.aborted) return reject(signal.reason)
      signal?.addEventListener('abort', abort)
      request.send(body as XMLHttpRequestBodyInit)
    })

function readResponse(request: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().trim().split(/\r\n/)) {
    const colon = line.indexOf(':')
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return new Response(request.responseText, { status: request.status, headers })
}
