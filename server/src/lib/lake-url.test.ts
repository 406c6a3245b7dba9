import { expect, test } from 'vitest'
import { ConfigurationError, readConfig } from '../config.ts'
import { parseLakeUrl } from './lake-url.ts'

test('a folder or S3-compatible storage', () => {
  expect(parseLakeUrl('/srv/lake/')).toEqual({ folder: '/srv/lake' })
  expect(parseLakeUrl('file:///srv/my%20lake')).toEqual({ folder: '/srv/my lake' })
  expect(parseLakeUrl('s3://key:secret@host:9000/bucket/lake')).toMatchObject({
    s3: { bucket: 'bucket', prefix: 'lake/' },
  })
})

test.each(['lake', './lake', 'https://host/lake', 'file://host/lake', 's3://host/bucket'])(
  '%s is refused at start, by name',
  (url) => {
    expect(() => readConfig({ GANGWAY_LAKE_URL: url })).toThrow(ConfigurationError)
    expect(() => readConfig({ GANGWAY_LAKE_URL: url })).toThrow('GANGWAY_LAKE_URL: ')
  },
)
