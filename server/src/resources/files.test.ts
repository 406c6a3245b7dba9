import { once } from 'node:events'
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { startS3Server } from '../../test/harness/s3-server.ts'
import { fileForm, partStart, startUpload, upload } from '../../test/harness/uploads.ts'
import { sweepFiles } from './files/sweep.ts'

const LIMIT = 12 * 1024 * 1024
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

describe.each(['disk', 'S3'])('on %s', (kind) => {
  let platform: Platform
  const stops: AsyncDisposable[] = []
  beforeAll(async () => {
    const environment: Record<string, string> = { GANGWAY_UPLOAD_LIMIT: String(LIMIT) }
    if (kind === 'S3') {
      const s3 = await startS3Server()
      stops.push(s3)
      environment.GANGWAY_FILES_URL = s3.url
    }
    platform = await startPlatform(environment)
  })
  afterAll(async () => {
    await platform[Symbol.asyncDispose]()
    for (const stop of stops) await stop[Symbol.asyncDispose]()
  })

  const fetchFile = (id: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${platform.url}/v1/resources/download/${id}`, {
      method,
      headers: { authorization: `Bearer ${platform.adminToken}`, ...headers },
    })
  const fetchBytes = async (id: string) => Buffer.from(await (await fetchFile(id)).arrayBuffer())
  const storedKeys = async () => {
    const keys: string[] = []
    for await (const key of platform.ctx.files.listOlder(new Date(Date.now() + 60_000))) keys.push(key)
    return keys.toSorted()
  }
  const knownKeys = async () => {
    const rows = await platform.ctx.db.selectFrom('resource_items').select('file_key').execute()
    return rows.flatMap(({ file_key }) => file_key ?? []).toSorted()
  }
  /** Every file has its record, every record its file. */
  const expectNothingLeft = async () =>
    vi.waitFor(async () => expect(await storedKeys()).toEqual(await knownKeys()))

  test('an upload is returned unchanged [docs/files#uploads]', async () => {
    const content = randomBytes(11 * 1024 * 1024)
    const { status, body } = await upload(platform, {
      content,
      name: 'Prüfung.bin',
      type: 'application/x-firmware',
      fields: { displayName: 'Firmware', description: 'D', tags: '{"type":"blob"}' },
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      resource_type: 'user-resource',
      displayName: 'Firmware',
      description: 'D',
      tags: { type: 'blob' },
      originalFileName: 'Prüfung.bin',
      fileUrl: `${platform.url}/v1/resources/download/${body.id}`,
      metadata: { size: content.length, sha256: sha256(content), contentType: 'application/x-firmware' },
      organizationId: platform.organizationId,
    })
    expect(body).not.toHaveProperty('document')
    const answer = await fetchFile(body.id)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/x-firmware',
      'content-length': String(content.length),
      'content-disposition': `attachment; filename="Pr_fung.bin"; filename*=UTF-8''Pr%C3%BCfung.bin`,
      etag: `"${sha256(content)}"`,
      'last-modified': new Date(body.metadata.changedAt).toUTCString(),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(sha256(content))
    expect((await platform.get(`/resources/${body.id}`)).body).toEqual(body)
  })

  test('an empty file is stored', async () => {
    const { body } = await upload(platform, { content: '' })
    expect(body.metadata).toMatchObject({ size: 0, sha256: sha256('') })
    expect(await fetchBytes(body.id)).toEqual(Buffer.alloc(0))
  })

  test('answers ranges, conditional requests and HEAD [RFC 9110]', async () => {
    const { body } = await upload(platform, { content: '0123456789' })
    const part = await fetchFile(body.id, { range: 'bytes=2-4' })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 2-4/10',
      '234',
    ])
    expect(part.headers.get('content-length')).toBe('3')
    const beyond = await fetchFile(body.id, { range: 'bytes=10-' })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    const etag = part.headers.get('etag')!
    const unchanged = await fetchFile(body.id, { 'if-none-match': etag })
    expect([unchanged.status, unchanged.headers.get('etag'), await unchanged.text()]).toEqual([304, etag, ''])
    const stale = await fetchFile(body.id, { range: 'bytes=2-4', 'if-range': '"other"' })
    expect([stale.status, await stale.text()]).toEqual([200, '0123456789'])
    const head = await fetchFile(body.id, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '10', ''])
  })

  test('a PUT replaces the file and keeps the id; the old file is deleted', async () => {
    const { id } = (await upload(platform, { content: 'old', name: 'old.txt' })).body
    const { status, body } = await platform.put(
      `/v1/resources/upload/${id}`,
      fileForm({ content: 'newer', name: 'new.bin', type: 'a/b' }),
    )
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id,
      displayName: 'old.txt',
      originalFileName: 'new.bin',
      metadata: { size: 5, contentType: 'a/b', sha256: sha256('newer') },
    })
    expect((await fetchBytes(id)).toString()).toBe('newer')
    await expectNothingLeft()
  })

  test('one of two concurrent replacements is stored completely', async () => {
    const { id } = (await upload(platform)).body
    const contents = [randomBytes(100_000), randomBytes(200_000)]
    const answers = await Promise.all(
      contents.map((content) => platform.put(`/v1/resources/upload/${id}`, fileForm({ content }))),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const { metadata } = (await platform.get(`/v1/resources/${id}`)).body
    expect(contents.map((content) => sha256(content))).toContain(metadata.sha256)
    expect(sha256(await fetchBytes(id))).toBe(metadata.sha256)
    await expectNothingLeft()
  })

  test('a reader keeps its bytes while the file is replaced and then deleted', async () => {
    const content = randomBytes(8 * 1024 * 1024)
    const { id } = (await upload(platform, { content })).body
    const answer = await fetchFile(id)
    const reader = answer.body!.getReader()
    const first = await reader.read()
    await platform.put(`/v1/resources/upload/${id}`, fileForm({ content: 'other' }))
    expect((await platform.delete(`/v1/resources/${id}`)).status).toBe(204)
    const chunks = [first.value!]
    for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value)
    expect(sha256(Buffer.concat(chunks))).toBe(sha256(content))
    expect((await fetchFile(id)).status).toBe(404)
    await expectNothingLeft()
  })

  test('an interrupted upload leaves nothing', async () => {
    const { id } = (await upload(platform)).body
    for (const path of ['/v1/resources/upload', `/v1/resources/upload/${id}`]) {
      const before = await knownKeys()
      const socket = await startUpload(platform, path, 10_000_000, partStart)
      const isTaken = vi.spyOn(platform.ctx.files, 'put')
      onTestFinished(() => isTaken.mockRestore())
      socket.write(randomBytes(6_000_000))
      await vi.waitFor(() => expect(isTaken).toHaveBeenCalled())
      socket.destroy()
      await once(socket, 'close')
      await expect(isTaken.mock.results[0]!.value).rejects.toThrow()
      isTaken.mockRestore()
      expect(await knownKeys()).toEqual(before)
    }
    await expectNothingLeft()
    expect((await fetchBytes(id)).toString()).toBe('some text')
  })

  test('a file that is too large is refused before it is read, or at the limit', async () => {
    const socket = await startUpload(platform, '/v1/resources/upload', 10 * 1024 ** 3, partStart)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toContain('413 Payload Too Large')
    expect(answer.toString()).toContain('payload_too_large')
    socket.destroy()
    const content = Buffer.alloc(LIMIT + 1)
    expect((await upload(platform, { content })).body).toMatchObject({
      error: 'payload_too_large',
      details: { limit: LIMIT },
    })
    expect((await upload(platform, { content: content.subarray(1) })).status).toBe(201)
    await expectNothingLeft()
  })

  test('a refusal after the upload deletes the file', async () => {
    const forms = [
      fileForm({ fields: { tags: '[]' } }),
      fileForm({ fields: { tags: '{' } }),
      fileForm({ fields: { organizationId: 'x' } }),
      fileForm({ fields: { displayName: ' ' } }),
      fileForm({ fields: { description: 'a\u0000b' } }),
      fileForm({ fields: { tags: `{"a":${'['.repeat(100)}${']'.repeat(100)}}` } }),
    ]
    for (const form of forms)
      expect((await platform.post('/v1/resources/upload', form)).body.error).toBe('validation_error')
    const elsewhere = fileForm({ fields: { organizationId: crypto.randomUUID() } })
    expect((await platform.post('/v1/resources/upload', elsewhere)).status).toBe(404)
    await expectNothingLeft()
  })

  test('the sweep deletes old files without a record', async () => {
    const { body } = await upload(platform, { content: 'stays' })
    const { key } = await platform.ctx.files.put(
      (async function* () {
        yield Buffer.from('forgotten')
      })(),
    )
    await sweepFiles(platform.ctx)
    expect(await storedKeys()).toContain(key)
    await sweepFiles(platform.ctx, new Date(Date.now() + 60_000))
    await expectNothingLeft()
    expect((await fetchBytes(body.id)).toString()).toBe('stays')
  })
})

test('a storage that does not answer is unavailable, and nothing is recorded', async () => {
  await using platform = await startPlatform({
    GANGWAY_FILES_URL: 's3://key:secret@127.0.0.1:1/files?tls=false',
  })
  const { status, body, headers } = await upload(platform)
  expect([status, body.error, headers.get('retry-after')]).toEqual([503, 'unavailable', '5'])
  expect(body.message).toContain('storage of files')
  expect((await platform.get('/v1/resources')).body).toEqual([])
})
