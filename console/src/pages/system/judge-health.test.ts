import { expect, test } from 'vitest'
import { judgeHealth } from './judge-health.ts'
import type { Health } from './use-health.ts'

const calm: Health = {
  asOf: '2026-01-01T12:00:00.000Z',
  version: '1',
  nodes: [],
  ingest: { backlog: 0, longestWaitSeconds: 0 },
  jobs: [],
  deliveries: [],
  receivers: [],
  deadLetters: { messages: 0, tenants: [], since: '2025-12-31T12:00:00.000Z' },
  queue: { kind: 'log', waiting: 0, oldestAt: null },
  database: {
    version: '18',
    bytes: 1,
    connections: 5,
    maxConnections: 100,
    longestTransactionSeconds: 0,
    replica: { problem: null, lagBytes: 0, lagSeconds: 0 },
  },
  packing: { daysBehind: 0, oldestDay: null },
  storage: { freeBytes: 1e9, daysLeft: null },
}
const job = { task: 't', waiting: 1, running: 0, failed: 0, oldestDueAt: null, oldestFailedAt: null }

test('an installation without trouble is good everywhere', () => {
  expect(new Set(Object.values(judgeHealth(calm)))).toEqual(new Set(['good']))
})

test.each<[string, Partial<Health>, object]>([
  ['a message that waits', { ingest: { backlog: 1, longestWaitSeconds: 3 } }, { ingest: 'bad' }],
  ['a failed job', { jobs: [{ ...job, failed: 1 }] }, { jobs: 'bad' }],
  [
    'a job due for a minute',
    { jobs: [{ ...job, oldestDueAt: '2026-01-01T11:59:00.000Z' }] },
    { jobs: 'good' },
  ],
  [
    'a job due for longer',
    { jobs: [{ ...job, oldestDueAt: '2026-01-01T11:58:59.999Z' }] },
    { jobs: 'warning' },
  ],
  [
    'a paused receiver',
    { deliveries: [{ kind: 'webhook', waiting: 1, pausedReceivers: 1 }] },
    { deliveries: 'warning' },
  ],
  [
    'an event that waits',
    { queue: { kind: 'nats', waiting: 1, oldestAt: '2026-01-01T11:00:00.000Z' } },
    { queue: 'bad' },
  ],
  ['few connections left', { database: { ...calm.database, connections: 91 } }, { database: 'bad' }],
  [
    'a long transaction',
    { database: { ...calm.database, longestTransactionSeconds: 301 } },
    { database: 'warning' },
  ],
  ['no read replica', { database: { ...calm.database, replica: null } }, { replica: 'off' }],
  [
    'a read replica that is left out',
    {
      database: {
        ...calm.database,
        replica: { problem: 'It does not answer.', lagBytes: null, lagSeconds: null },
      },
    },
    { database: 'good', replica: 'warning' },
  ],
  ['a week of space', { storage: { freeBytes: 1, daysLeft: 6.9 } }, { storage: 'bad' }],
  ['a month of space', { storage: { freeBytes: 1, daysLeft: 29 } }, { storage: 'warning' }],
  ['space that is not measured', { storage: null }, { storage: 'off' }],
])('%s is judged', (_what, changes, expected) => {
  expect(judgeHealth({ ...calm, ...changes })).toMatchObject(expected)
})
