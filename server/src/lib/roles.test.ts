import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'

const DATABASE_URL = 'postgresql://127.0.0.1/gangway'
const GANGWAY_NATS_URL = 'nats://127.0.0.1'
const GANGWAY_PUBLIC_URL = 'https://iot.example.com'
const read = (GANGWAY_ROLES: string, environment: Record<string, string> = {}) => [
  ...readConfig({ GANGWAY_ROLES, ...environment }).roles,
]

test.each([
  ['', {}, ['gateway', 'ingest', 'api', 'worker']],
  ['worker, api,ingest,gateway', {}, ['worker', 'api', 'ingest', 'gateway']],
  ['worker', { DATABASE_URL, GANGWAY_PUBLIC_URL }, ['worker']],
  ['gateway,ingest,api', { DATABASE_URL }, ['gateway', 'ingest', 'api']],
  ['gateway,ingest', { DATABASE_URL, GANGWAY_NATS_URL }, ['gateway', 'ingest']],
  ['api,worker', { DATABASE_URL, GANGWAY_NATS_URL }, ['api', 'worker']],
  ['gateway', { DATABASE_URL, GANGWAY_NATS_URL, GANGWAY_INGEST: 'stream' }, ['gateway']],
  ['ingest', { DATABASE_URL, GANGWAY_NATS_URL, GANGWAY_INGEST: 'stream' }, ['ingest']],
])('GANGWAY_ROLES=%s with %j', (roles, environment, expected) =>
  expect(read(roles, environment)).toEqual(expected),
)

test.each([
  ['gatway', {}, 'there is no role gatway; did you mean gateway?'],
  ['everything', {}, 'there is no role everything (the roles are gateway, ingest, api, worker)'],
  [',', {}, 'must name one role or several'],
  ['api,api', {}, 'names a role twice'],
  ['gateway', { DATABASE_URL, GANGWAY_NATS_URL }, 'gateway and ingest have to be on the same node'],
  ['ingest,api', { DATABASE_URL, GANGWAY_NATS_URL }, 'gateway and ingest have to be on the same node'],
  ['worker', {}, 'needs DATABASE_URL, since no other node with gateway and ingest and api'],
  ['worker', { DATABASE_URL }, 'needs GANGWAY_PUBLIC_URL, since links in messages'],
  ['api', { DATABASE_URL }, 'needs GANGWAY_NATS_URL'],
  ['gateway,ingest', { DATABASE_URL }, 'needs GANGWAY_NATS_URL'],
])('GANGWAY_ROLES=%s with %j is refused [docs/operating#roles]', (roles, environment, problem) =>
  expect(() => read(roles, environment)).toThrow(`GANGWAY_ROLES: ${problem}`),
)
