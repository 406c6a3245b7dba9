/** Compares the numbers in the guide's tables of limits with the constants of the code. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as backtest from '../../src/alarms/backtest/backtest.ts'
import { MAX_ALARMS_OF_MODEL } from '../../src/alarms/require-room.ts'
import { MAX_CONDITION } from '../../src/alarms/schema.ts'
import { CONDITION_STEPS } from '../../src/alarms/watch/model-watch.ts'
import { MAX_BINDINGS, MAX_REMOTES } from '../../src/assets/bindings/binding-rule.ts'
import * as transform from '../../src/assets/bindings/transform.ts'
import { MAX_QUEUED } from '../../src/assets/commands/refuse-full-queue.ts'
import * as command from '../../src/assets/commands/target.ts'
import * as queries from '../../src/database/queries.ts'
import { QUERY_TIMEOUT_MS } from '../../src/database/query-pool.ts'
import { BODY_MS, HEADERS_MS } from '../../src/http/body-timeout.ts'
import { MAX_PATH_PART_CHARACTERS } from '../../src/http/errors.ts'
import { DEFAULT_BODY_LIMIT } from '../../src/http/server.ts'
import { MAX_REPORTED_BYTES } from '../../src/ingest/store-reported.ts'
import { MAX_JSON_DEPTH } from '../../src/lib/json-limits.ts'
import { MAX_STEPS } from '../../src/lib/json-logic/budget.ts'
import { MAX_TEXT } from '../../src/lib/json-logic/text.ts'
import { ACK_TOKEN_SECONDS } from '../../src/notifications/acknowledge/ack-token.ts'
import { MAX_ATTEMPTS } from '../../src/notifications/deliveries/deliver.ts'
import { KEPT_DAYS } from '../../src/notifications/deliveries/store.ts'
import { MAX_ALARMS, MAX_CONTACT_GROUPS } from '../../src/notifications/schema.ts'
import * as keys from '../../src/onboarding/bootstrap-keys/schema.ts'
import * as bulk from '../../src/onboarding/devices/bulk/read-device-lines.ts'
import { CONCURRENT_VALIDATIONS } from '../../src/onboarding/provider-api/validate-all.ts'
import { MAX_EVENT_BYTES } from '../../src/onboarding/provider-events/routes.ts'
import { MAX_TEMPLATE_BYTES, MAX_TEMPLATE_DEPTH } from '../../src/onboarding/response-template.ts'
import { PROVIDER_BUDGET_MS } from '../../src/onboarding/settings/offline/find-credentials.ts'
import { FAILURES_PER_DEVICE, FAILURES_PER_NETWORK } from '../../src/onboarding/sign-in-failures.ts'
import * as attempts from '../../src/onboarding/trace/store.ts'
import { METHOD_BODY_LIMIT } from '../../src/providers/methods/invocation.ts'
import { MAX_DESIRED_BYTES } from '../../src/providers/twin/set-desired.ts'
import { defaultLimits } from '../../src/push/limits.ts'
import { MAX_ASSETS } from '../../src/push/subscriptions/schema.ts'
import { MAX_CHARACTERS as MAX_FILE_NAME } from '../../src/resources/files/file-name.ts'
import * as tags from '../../src/resources/tags.ts'
import { MAX_COLORS } from '../../src/resources/themes/schema.ts'
import { MAX_FAULTS } from '../../src/simulations/control-simulation.ts'
import { MAX_ROWS } from '../../src/simulations/generators/read-columns.ts'
import { MAX_DEVICES } from '../../src/simulations/schema.ts'
import { MAX_RUNNING_DEVICES } from '../../src/simulations/simulations.ts'
import { MAX_SERIES } from '../../src/timeseries/query/latest-series.ts'
import { RESULT_LIMIT } from '../../src/timeseries/schema.ts'
import { MAX_NAMES } from '../../src/timeseries/schema.ts'
import { root } from '../harness/example-programs.ts'

const push = defaultLimits()
const minutes = (ms: number) => ms / 60_000
const seconds = (ms: number) => ms / 1000

/** The limits that the code has a constant for; bytes are compared in bytes, times in the unit of the guide. */
const limits: [page: string, limit: string, ...values: number[]][] = [
  ['alarms', 'alarms of a model', MAX_ALARMS_OF_MODEL],
  ['alarms', 'text of a condition', MAX_CONDITION],
  ['alarms', 'work of all conditions for one time of a message', CONDITION_STEPS],
  ['alarms', 'backtest', backtest.MAX_SAMPLES, backtest.MAX_ACTIVATIONS, backtest.MAX_STEPS],
  ['api', 'body, where a route says nothing else', DEFAULT_BODY_LIMIT],
  ['api', 'time for headers, and for a body', minutes(HEADERS_MS), minutes(BODY_MS)],
  ['api', 'one part of a path', MAX_PATH_PART_CHARACTERS],
  ['assets', 'remotes of a binding', MAX_REMOTES],
  ['assets', 'bindings of a request', MAX_BINDINGS],
  ['assets', 'work of the transforms that one message feeds', MAX_STEPS],
  ['assets', 'result of a transform', transform.MAX_VALUES, transform.MAX_CHARACTERS, MAX_JSON_DEPTH],
  ['assets', '`cat` in JSONLogic', MAX_TEXT],
  ['assets', 'command payload', command.MAX_PAYLOAD_BYTES],
  ['assets', 'commands that wait for a device', MAX_QUEUED],
  ['assets', 'assets on the way of a command', command.MAX_HOPS],
  ['files', 'document', DEFAULT_BODY_LIMIT, MAX_JSON_DEPTH],
  ['files', 'tags of a resource', tags.MAX_TAGS, tags.MAX_CHARACTERS],
  ['files', 'file name', MAX_FILE_NAME],
  ['files', 'colors of a theme', MAX_COLORS],
  ['notifications', 'alarms of a notification', MAX_ALARMS],
  ['notifications', 'contact groups of a notification', MAX_CONTACT_GROUPS],
  ['notifications', 'tries of a message', MAX_ATTEMPTS],
  ['notifications', 'life of an acknowledge link', ACK_TOKEN_SECONDS / 86_400],
  ['notifications', 'deliveries are kept', KEPT_DAYS],
  ['onboarding', 'devices of a bulk request', bulk.MAX_DEVICES],
  ['onboarding', 'device ids of a request for derived keys', keys.MAX_DERIVED_KEYS],
  ['onboarding', 'bytes of one line of a bulk request', bulk.MAX_LINE_BYTES],
  ['onboarding', 'validations at a time in a bulk request', CONCURRENT_VALIDATIONS],
  ['onboarding', 'response template', MAX_TEMPLATE_BYTES, MAX_TEMPLATE_DEPTH],
  ['onboarding', 'wrong keys or certificates of a device from one network', FAILURES_PER_DEVICE],
  ['onboarding', 'failures of one network', FAILURES_PER_NETWORK],
  ['onboarding', 'provider event', MAX_EVENT_BYTES],
  ['onboarding', 'wait for a provider in a group with offline settings', seconds(PROVIDER_BUDGET_MS)],
  ['onboarding', 'attempts of a device in its trace', attempts.ATTEMPTS_OF_DEVICE],
  ['onboarding', 'those among them without a proof of identity', attempts.UNPROVEN_OF_DEVICE],
  ['onboarding', 'attempts of a tenant, for each outcome', attempts.ATTEMPTS_OF_TENANT],
  ['onboarding', 'attempts of no tenant, for each outcome', attempts.ATTEMPTS_OF_UNKNOWN],
  ['push', 'connections of a user', push.connectionsPerUser],
  ['push', 'watched assets and named signals of a user', push.entriesPerUser],
  ['push', 'subscriptions of a connection', push.subscriptionsPerConnection],
  ['push', 'assets of a subscription', MAX_ASSETS],
  ['push', 'bytes that a client leaves unread', push.maxBufferedBytes],
  ['simulations', 'devices of a simulation', MAX_DEVICES],
  ['simulations', 'simulated devices of a [worker](operating.md#roles)', MAX_RUNNING_DEVICES],
  ['simulations', 'faults at a time', MAX_FAULTS],
  ['simulations', 'rows of a CSV file', MAX_ROWS],
  ['telemetry', 'values of a signal in an answer', RESULT_LIMIT],
  ['telemetry', 'names of a query', MAX_NAMES],
  ['telemetry', 'series of a request for latest values', MAX_SERIES],
  ['telemetry', 'time of one statement', seconds(QUERY_TIMEOUT_MS)],
  ['telemetry', 'statements of a tenant at a time', queries.TENANT_SHARE],
  ['telemetry', 'wait before there is anything to answer', seconds(queries.PATIENCE_MS)],
  ['telemetry', 'open queries of a tenant', queries.MAX_OPEN],
  ['twins', 'desired properties of a client', MAX_DESIRED_BYTES],
  ['twins', 'reported properties of a client', MAX_REPORTED_BYTES],
  ['twins', 'method payload', METHOD_BODY_LIMIT],
]

const unitBytes: Record<string, number> = { KiB: 1024, MiB: 1024 ** 2 }

/** Reads the numbers of the row's second cell. */
async function readLimit(page: string, limit: string): Promise<number[]> {
  const text = await readFile(join(root, 'docs', `${page}.md`), 'utf8')
  const section = text.split(/^## /m).find((part) => part.startsWith('Limits\n')) ?? ''
  const row = section.split('\n').find((line) => line.startsWith(`| ${limit} |`)) ?? ''
  const [, , value = ''] = row.split(' | ').join('|').split('|')
  return Array.from(
    value.matchAll(/(\d[\d,]*)(?: (KiB|MiB))?/g),
    ([, number, unit = '']) => Number(number!.replaceAll(',', '')) * (unitBytes[unit] ?? 1),
  )
}

test.each(limits)('docs/%s.md states the limit of "%s"', async (page, limit, ...values) => {
  expect(await readLimit(page, limit)).toEqual(expect.arrayContaining(values))
})
