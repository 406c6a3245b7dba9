import { expect, test } from 'vitest'
import { buildPath, buildQuery } from './paths.ts'

test('parameters are encoded', () => {
  expect(buildPath('/v1/assets/{assetId}', { assetId: 'a/b ü?#%' })).toBe(
    '/v1/assets/a%2Fb%20%C3%BC%3F%23%25',
  )
  expect(buildPath('/v1/providers/{providerId}/clients', { providerId: '$&' })).toBe(
    '/v1/providers/%24%26/clients',
  )
  expect(buildPath('/v1/assets')).toBe('/v1/assets')
})

test.each(['', '.', '..'])('the parameter "%s", which would change the path, is refused', (assetId) => {
  expect(() => buildPath('/v1/assets/{assetId}', { assetId })).toThrow(
    `The path parameter assetId is "${assetId}".`,
  )
})

test('a missing parameter is refused', () => {
  expect(() => buildPath('/v1/assets/{assetId}')).toThrow('The path parameter assetId is missing.')
})

test('a query leaves out what is undefined, and repeats arrays', () => {
  expect(buildQuery()).toBe('')
  expect(buildQuery({ cursor: undefined })).toBe('')
  expect(buildQuery({ limit: 5, cursor: undefined, tag: ['a b', 'c&d'], force: false })).toBe(
    '?limit=5&tag=a+b&tag=c%26d&force=false',
  )
})
