/** The demo's requests to the public API of the platform. */

export interface Platform {
  url: string
  token: string
  call<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T>
}

/** @throws Error with the platform's message */
export async function logIn(url: string, email: string, password: string): Promise<Platform> {
  const call = createCall(url, undefined)
  const { accessToken } = await call<{ accessToken: string }>('POST', '/v1/auth/login', {
    username: email,
    password,
  })
  return { url, token: accessToken, call: createCall(url, accessToken) }
}

const createCall =
  (url: string, token: string | undefined): Platform['call'] =>
  async <T>(method: string, path: string, body?: unknown) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    }).catch(() => {
      throw new Error(
        `Nothing answers at ${url}. Start the platform with \`npm start\`, or name it with --url.`,
      )
    })
    const text = await response.text()
    const answer = (text === '' ? {} : JSON.parse(text)) as T & { error?: string; message?: string }
    if (!response.ok) throw new Error(`${method} ${path}: ${answer.message ?? response.status}`)
    return answer
  }
