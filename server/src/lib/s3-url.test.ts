import { expect, test } from 'vitest'
import { ConfigurationError, readConfig } from '../config.ts'
import { parseS3Url } from './s3-url.ts'

test('reads endpoint, bucket, prefix, region and credentials', () => {
  expect(
    parseS3Url('s3://key:s%2Fecret@files.example:9000/bucket/a/b?region=eu-central-1&tls=false'),
  ).toEqual({
    endpoint: 'http://files.example:9000',
    bucket: 'bucket',
    prefix: 'a/b/',
    region: 'eu-central-1',
    accessKeyId: 'key',
    secretAccessKey: 's/ecret',
  })
  expect(parseS3Url('s3://k:s@host/bucket')).toMatchObject({ endpoint: 'https://host', prefix: '' })
})

test.each([
  ['nothing of the kind', 'files', 'must be a URL'],
  ['another protocol', 'https://key:hushhush@host/bucket', 's3://'],
  ['no credentials', 's3://host/bucket', 'credentials'],
  ['no bucket', 's3://key:hushhush@host', 'bucket'],
  ['a wrong tls', 's3://key:hushhush@host/bucket?tls=maybe', 'tls'],
  ['an unknown option', 's3://key:hushhush@host/bucket?acl=x', 'options'],
])('%s is refused at start, by name and without the secret', (_what, url, message) => {
  expect(() => readConfig({ GANGWAY_FILES_URL: url })).toThrow(ConfigurationError)
  expect(() => readConfig({ GANGWAY_FILES_URL: url })).toThrow('GANGWAY_FILES_URL: ')
  expect(() => readConfig({ GANGWAY_FILES_URL: url })).toThrow(message)
  expect(() => readConfig({ GANGWAY_FILES_URL: url })).not.toThrow('hushhush')
})

test.each(['0', '-1', '1e6', '256MB'])('an upload limit of %s is refused', (limit) => {
  expect(() => readConfig({ GANGWAY_UPLOAD_LIMIT: limit })).toThrow('GANGWAY_UPLOAD_LIMIT')
})
