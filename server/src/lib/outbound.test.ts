import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createOutbound, OutboundError } from './outbound.ts'

const cleanUps: (() => void)[] = []
afterEach(() => cleanUps.splice(0).forEach((cleanUp) => cleanUp()))

async function serve(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  cleanUps.push(
    () => void server.closeAllConnections(),
    () => void server.close(),
  )
  return (server.address() as AddressInfo).port
}

const get = (allow: string[], url: string, limits = {}) => {
  const outbound = createOutbound(allow)
  cleanUps.push(() => void outbound.close())
  return outbound.send({ method: 'GET', url, ...limits })
}

test('loopback is allowed if it is listed, by address, by name and as IPv4 in IPv6', async () => {
  const port = await serve((_request, response) => response.end('hello'))
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]'])
    expect(await get(['loopback'], `http://${host}:${port}/`)).toMatchObject({ status: 200, text: 'hello' })
  expect((await get(['localhost'], `http://localhost:${port}/`)).text).toBe('hello')
})

test.each([
  'http://127.0.0.1:1/',
  'http://localhost:1/',
  'http://[::1]:1/',
  'http://[::ffff:127.0.0.1]:1/',
  'http://2130706433:1/',
  'http://0x7f.1:1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/',
  'http://192.168.1.1/',
  'http://172.16.0.1/',
  'http://100.64.0.1/',
  'http://0.0.0.0:1/',
  'http://[::169.254.169.254]/',
  'http://[64:ff9b::169.254.169.254]/',
  'http://[fd00::1]/',
  'http://[fe80::1]/',
  'file:///etc/passwd',
  'not a url',
])('%s is refused if nothing is listed', async (url) => {
  await expect(get([], url)).rejects.toThrow(/not public|is not a/)
})

test('a range may be allowed without its neighbours', async () => {
  await expect(get(['10.1.0.0/16'], 'http://10.2.0.1/')).rejects.toThrow(/not public/)
})

test('a redirect is answered, not followed', async () => {
  const port = await serve((_request, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  )
  expect((await get(['loopback'], `http://127.0.0.1:${port}/`)).status).toBe(302)
})

test('an answer that is too large, too late or cut off is an OutboundError without inner details', async () => {
  const large = await serve((_request, response) => {
    response.on('error', () => {})
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65536)));
    }
    response.on('drain', write)
    write()
  })
  await expect(get(['loopback'], `http://127.0.0.1:${large}/`, { maxAnswerBytes: 1e6 })).rejects.toThrow(
    /more than 1000000 bytes/,
  )
  const silent = await serve(() => {})
  await expect(get(['loopback'], `http://127.0.0.1:${silent}/`, { timeoutMs: 100 })).rejects.toThrow(
    /in time/,
  )
  const cut = await serve((request) => request.socket.destroy())
  await expect(get(['loopback'], `http://127.0.0.1:${cut}/`)).rejects.toBeInstanceOf(OutboundError)
  await expect(get(['loopback'], 'http://127.0.0.1:1/')).rejects.toThrow(
    'could not be reached (ECONNREFUSED)',
  )
})
