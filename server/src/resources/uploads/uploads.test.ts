import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { fileForm, partStart, rawForm, upload } from '../../../test/harness/uploads.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'
import { sweepFiles } from '../files/sweep.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const download = (id: string, options = {}) => platform.get(`/v1/resources/download/${id}`, options)

test.each([
  ['no file', rawForm('content-disposition: form-data; name="displayName"\r\n\r\nx')],
  ['a file that is a text field', rawForm('content-disposition: form-data; name="file"\r\n\r\nx')],
  ['a file under another name', rawForm('content-disposition: form-data; name="f"; filename="a"\r\n\r\nx')],
  [
    'two files',
    rawForm(
      'content-disposition: form-data; name="file"; filename="a"\r\n\r\nx',
      'content-disposition: form-data; name="file"; filename="b"\r\n\r\ny',
    ),
  ],
  [
    'a field twice',
    rawForm(
      'content-disposition: form-data; name="file"; filename="a"\r\n\r\nx',
      'content-disposition: form-data; name="displayName"\r\n\r\nx',
      'content-disposition: form-data; name="displayName"\r\n\r\ny',
    ),
  ],
  [
    'a field that is too long',
    rawForm(
      'content-disposition: form-data; name="file"; filename="a"\r\n\r\nx',
      `content-disposition: form-data; name="description"\r\n\r\n${'x'.repeat(70_000)}`,
    ),
  ],
  ['a form that ends in the middle', { body: Buffer.from(`${partStart}x`), headers: rawForm().headers }],
  ['no boundary', { body: Buffer.from('x'), headers: { 'content-type': 'multipart/form-data' } }],
  ['an empty form', { body: Buffer.from(''), headers: rawForm().headers }],
  ['a field called __proto__', rawForm('content-disposition: form-data; name="__proto__"\r\n\r\nx')],
])('%s is refused', async (_what, { body, headers }) => {
  const answer = await platform.post('/v1/resources/upload', body, { headers })
  expect([answer.status, answer.body.error]).toEqual([400, 'validation_error'])
})

test('refused uploads leave no file', async () => {
  const unfinished = await readdir(join(platform.ctx.config.dataDir, 'files', 'unfinished'))
  expect(unfinished).toEqual([])
  const known = await platform.ctx.db.selectFrom('resource_items').select('id').execute()
  expect(known).toEqual([])
  for await (const key of platform.ctx.files.listOlder(new Date(Date.now() + 60_000)))
    expect.unreachable(`${key} is left`)
})

test('an unfinished upload after a crash is deleted after a day', async () => {
  const directory = join(platform.ctx.config.dataDir, 'files', 'unfinished')
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000)
  await writeFile(join(directory, 'old'), 'x')
  await utimes(join(directory, 'old'), yesterday, yesterday)
  await writeFile(join(directory, 'under way'), 'x')
  await sweepFiles(platform.ctx)
  expect(await readdir(directory)).toEqual(['under way'])
})

test.each([
  ['../../../etc/passwd', 'passwd'],
  ['a\u202Egnp.exe', 'agnp.exe'],
  [`${'n'.repeat(1000)}.bin`, `${'n'.repeat(251)}.bin`],
  ['日本.txt', '日本.txt'],
])('a file called %s is kept as %s', async (name, clean) => {
  const { body } = await upload(platform, { name })
  expect(body.originalFileName).toBe(clean)
  const { headers, body: text } = await download(body.id)
  expect(headers.get('content-disposition')).toContain(`filename*=UTF-8''${encodeURIComponent(clean)}`)
  expect(text).toBe('some text')
})

test.each([
  ['NUL', 'a\u0000b.txt', 'ab.txt'],
  ['encoded line breaks', 'a%0D%0Aset-cookie: x.txt', 'a%0D%0Aset-cookie: x.txt'],
  ['a line feed', 'a\nset-cookie: x.txt', undefined],
  ['a carriage return', 'a\rset-cookie: x.txt', undefined],
])('a name with %s cannot inject a header', async (_what, name, clean) => {
  const form = rawForm(`content-disposition: form-data; name="file"; filename="${name}"\r\n\r\nx`)
  const { status, body } = await platform.post('/v1/resources/upload', form.body, form)
  if (clean === undefined) return expect([status, body.error]).toEqual([400, 'validation_error'])
  expect([status, body.originalFileName]).toEqual([201, clean])
  expect((await download(body.id)).headers.has('set-cookie')).toBe(false)
})

const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

test.each([
  ['image/svg+xml', script, 'image/svg+xml'],
  ['text/html', script, 'text/html'],
  ['image/png', script, 'application/octet-stream'],
  ['application/javascript', 'alert(1)', 'application/javascript'],
])('active content as %s is sent as an attachment, never inline', async (type, content, served) => {
  const { body } = await upload(platform, { name: 'logo.svg', type, content })
  const { headers } = await download(body.id)
  expect(headers.get('content-type')).toBe(served)
  expect(headers.get('content-disposition')).toMatch(/^attachment;/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toContain('sandbox')
})

test('a picture is sent inline', async () => {
  const content = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const { body } = await upload(platform, { name: 'logo.png', type: 'text/html', content })
  const { headers } = await download(body.id)
  expect(headers.get('content-type')).toBe('image/png')
  expect(headers.get('content-disposition')).toMatch(/^inline;/)
})

test('an archive is stored unchanged, whatever its unpacked size', async () => {
  const bomb = Buffer.from('504b0304140000000800', 'hex')
  const { body } = await upload(platform, { name: 'bomb.zip', type: 'application/zip', content: bomb })
  expect(body.metadata).toMatchObject({ size: 10, contentType: 'application/zip' })
})

test('without displayName the name of the file is used; without an organization the uppermost allowed one', async () => {
  expect((await upload(platform, { name: 'plan.pdf' })).body).toMatchObject({
    displayName: 'plan.pdf',
    description: null,
    tags: {},
    organizationId: platform.organizationId,
  })
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  expect((await upload(platform, {}, { token })).status).toBe(403)
  await relate(platform, `${id} resource_item_manager organization:${branch}`)
  const { body } = await upload(platform, {}, { token })
  expect(body.organizationId).toBe(branch)
  const fields = { organizationId: platform.organizationId }
  expect((await upload(platform, { fields }, { token })).body).toMatchObject({
    error: 'forbidden',
    details: { required: { privilege: 'resource_item_management', organizationId: platform.organizationId } },
  })
  const replace = (resource: string) =>
    platform.put(`/v1/resources/upload/${resource}`, fileForm({}), { token })
  expect((await replace(body.id)).status).toBe(200)
  expect((await replace((await upload(platform)).body.id)).status).toBe(403)
})

test('another tenant neither reads nor replaces it', async () => {
  const { id } = (await upload(platform)).body
  const { token } = await platform.makeTenant('uploadless')
  for (const answer of [
    await download(id, { token }),
    await platform.put(`/v1/resources/upload/${id}`, fileForm({}), { token }),
  ])
    expect(answer.status).toBe(404)
})

test('a file stays a file, and a document a document', async () => {
  const file = (await upload(platform)).body.id
  const document = (await platform.post('/v1/resources', { displayName: 'D', document: { a: 1 } })).body.id
  expect((await platform.put(`/v1/resources/upload/${document}`, fileForm({}))).body.error).toBe('conflict')
  expect((await platform.patch(`/v1/resources/${file}`, { document: {} })).body.error).toBe('conflict')
})

test('a content type other than a form is refused', async () => {
  expect((await platform.post('/v1/resources/upload', { file: 'x' })).body.error).toBe(
    'unsupported_media_type',
  )
})
