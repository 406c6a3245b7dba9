/** Compares the lists and the tables of states in the guide with those of the code. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { privileges } from '../../src/access/privileges.ts'
import { relations, resourceTypes, subjectTypes } from '../../src/access/schema.ts'
import { transitions as alarm } from '../../src/alarms/statuses/states.ts'
import { transitions as command } from '../../src/assets/commands/states.ts'
import { widgetKinds } from '../../src/dashboards/data/widgets.ts'
import { transitions as deployment } from '../../src/firmware/deployments/states.ts'
import { transitions as update } from '../../src/firmware/updates/states.ts'
import { errorCodes } from '../../src/http/errors.ts'
import { parserNames } from '../../src/ingest/parsers/parsers.ts'
import { aggregationTypes } from '../../src/lib/aggregation-types.ts'
import { templateVariables } from '../../src/onboarding/response-template.ts'
import { transitions as device } from '../../src/onboarding/devices/states.ts'
import { certificateStates } from '../../src/onboarding/certificates/list/states.ts'
import { revocationReasons } from '../../src/onboarding/certificates/revocation/reasons.ts'
import { stepCodes } from '../../src/onboarding/trace/step-codes.ts'
import { providerTypes } from '../../src/providers/provider-type.ts'
import { columnTypes } from '../../src/timeseries/where-clause/tree.ts'
import { root } from '../harness/example-programs.ts'

const listStates = (transitions: readonly { from: string; to: string }[]) => [
  ...new Set(transitions.flatMap(({ from, to }) => [from, to])),
]

test.each<[page: string, heading: string, names: readonly string[]]>([
  ['access', 'Subjects', subjectTypes],
  ['access', 'Privileges', privileges],
  ['access', 'Permissions', resourceTypes.filter((type) => !['environment', 'tenant'].includes(type))],
  ['access', 'Relations', relations.filter((relation) => !relation.endsWith('_manager'))],
  ['alarms', 'States', listStates(alarm)],
  ['api', 'Errors', errorCodes],
  ['assets', 'Command states', listStates(command)],
  ['certificates', 'Revocation', revocationReasons],
  ['certificates', 'States', certificateStates],
  ['dashboards', 'Widgets', widgetKinds],
  ['firmware', 'Deployment states', listStates(deployment)],
  ['firmware', 'Update states', listStates(update)],
  ['onboarding', 'Step codes', Object.keys(stepCodes)],
  ['onboarding', 'Device states', listStates(device)],
  ['onboarding', 'Response templates', templateVariables],
  ['mqtt', 'Telemetry', parserNames],
  ['providers', 'Provider types', providerTypes],
  ['telemetry', 'Aggregations', aggregationTypes],
  ['telemetry', 'Where clause', Object.keys(columnTypes)],
])('docs/%s.md names all in "%s"', async (page, heading, names) => {
  const text = await readFile(join(root, 'docs', `${page}.md`), 'utf8')
  const section = text.split(/^##+ /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  expect(names.length).toBeGreaterThan(1)
  expect(names.filter((name) => !section.includes(`\`${name}\``))).toEqual([])
})
