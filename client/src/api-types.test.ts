import { expectTypeOf, test } from 'vitest'
import { type Answer, connect, type Item, type ListPath, type RequestOptions, type Schemas } from './index.ts'

const gangway = connect({ url: '' })
/** Calls that are only checked by the compiler. */
const never = (_calls: () => unknown) => {}

test('answers have the types of the API', () => {
  expectTypeOf<Answer<'get', '/v1/assets/{assetId}'>>().toEqualTypeOf<Schemas['Asset']>()
  expectTypeOf<Answer<'post', '/v1/realtime/subscriptions'>>().toEqualTypeOf<Schemas['Subscription']>()
  expectTypeOf<Answer<'delete', '/v1/assets/{assetId}'>>().toEqualTypeOf<undefined>()
  expectTypeOf<Answer<'get', '/v1/ca.crt'>>().toEqualTypeOf<string>()
})

test('entries of both shapes of lists have their types', () => {
  expectTypeOf<Item<'/v1/assets'>>().toEqualTypeOf<Schemas['Asset']>()
  expectTypeOf<Item<'/api/enrollment-groups'>>().toHaveProperty('routing_target_id')
  expectTypeOf<'/v1/providers/{providerId}/clients'>().toExtend<ListPath>()
  expectTypeOf<'/v1/assets/{assetId}'>().not.toExtend<ListPath>()
  expectTypeOf<'/v1/tree'>().not.toExtend<ListPath>()
})

test('parameters and bodies are required where the route requires them', () => {
  type Options = RequestOptions<'get', '/v1/assets/{assetId}'>
  expectTypeOf<Options['path']>().toEqualTypeOf<{ assetId: string }>()
  expectTypeOf<RequestOptions<'get', '/v1/assets'>['path']>().toEqualTypeOf<undefined>()
  never(() => [
    gangway.get('/v1/assets'),
    gangway.list('/v1/assets', { query: { modelId: 'dtmi:example:Pump;1', limit: 10 } }),
    gangway.post('/v1/auth/logout', { body: { refreshToken: 'token' } }),
    gangway.post('/v1/auth/logout'),
    gangway.post('/v1/resources/upload', { body: new FormData() }),
    // @ts-expect-error The path parameter is missing.
    gangway.get('/v1/assets/{assetId}'),
    // @ts-expect-error There is no such parameter.
    gangway.get('/v1/assets/{assetId}', { path: { assetId: 'pump-7' }, query: { search: 'pump' } }),
    // @ts-expect-error There is no such path.
    gangway.get('/v1/asset'),
    // @ts-expect-error The path does not answer to this method.
    gangway.put('/v1/assets'),
    // @ts-expect-error A field is missing.
    gangway.post('/v1/providers/{providerId}/clients', { path: { providerId: 'mqtt' }, body: { id: 'a' } }),
    // @ts-expect-error This is no list.
    gangway.list('/v1/tree'),
  ])
})
