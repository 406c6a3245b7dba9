/** The public API, as the administrator. */

export interface Api {
  url: string
  token: string
  get<T>(path: string): Promise<T>
  /** Sends an object as JSON, a string as application/x-ndjson. @throws with the platform's own message */
  post<T>(path: string, body?: object | string): Promise<T>
  patch<T>(path: string, body: object): Promise<T>
}

export async function logIn(url: string, adminPassword: string): Promise<Api> {
  const credentials = { username: 'admin@example.com', password: adminPassword }
  const { accessToken } = await send<{ accessToken: string }>('POST', `${url}/v1/auth/login`, credentials)
  return {
    url,
    token: accessToken,
    get: (path) => send('GET', url + path, undefined, accessToken),
    post: (path, body) => send('POST', url + path, body, accessToken),
    patch: (path, body) => send('PATCH', url + path, body, accessToken),
  }
}

async function send<T>(method: string, url: string, body?: object | string, token?: string): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && {
        'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json',
      }),
    },
    body: typeof body === 'object' ? JSON.stringify(body) : body,
  })
  const answer = (await response.json()) as T & { message?: string }
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${answer.message}`)
  return answer
}
