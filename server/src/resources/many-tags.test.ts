import { afterAll, expect, test } from 'vitest'
import { startPlatform } from '../../test/harness/platform.ts'

const platform = await startPlatform()
afterAll(() => platform[Symbol.asyncDispose]())

test('very many tags come in pages, by key and value [docs/files#tags]', async () => {
  const { body } = await platform.post('/v1/resources', { displayName: 'R', document: { a: 1 } })
  const insert = `
    insert into resource_items
    select (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid(), 'tags', (
      select jsonb_object_agg('key' || lpad(key::text, 2, '0'), lpad(value::text, 3, '0'))
      from generate_series(1, 50) key)))).*
    from resource_items i, generate_series(1, 210) value where i.id = $1`
  await platform.ctx.pool.query(insert, [body.id])
  const { body: tags, headers } = await platform.get('/v1/resources/tags')
  expect(Object.values(tags).flat()).toHaveLength(10_000)
  // 47 keys with 210 values each, and 130 of the next one.
  expect(Object.keys(tags)).toHaveLength(48)
  expect(tags.key01).toHaveLength(210)
  expect(tags.key48.at(-1)).toBe('130')
  const next = /<(.+)>; rel="next"/.exec(headers.get('link')!)![1]!
  const rest = await platform.get(next)
  expect(Object.values(rest.body).flat()).toHaveLength(500)
  expect(rest.body.key48[0]).toBe('131')
  expect(rest.headers.get('link')).toBeNull()
  expect((await platform.get('/v1/resources/tags?cursor=e30')).status).toBe(400)
})
