/** Runs the story of faults for minutes, with faults that a seed chooses. */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    devices: { type: 'string', default: '500' },
    ingest: { type: 'string', default: 'database' },
    seed: { type: 'string' },
  },
})
const { seconds, devices, ingest, seed } = values
const { status } = spawnSync('npx', ['vitest', 'run', 'server/test/stories/cluster/faults.test.ts'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    GANGWAY_TEST_ROUNDS: 'all',
    GANGWAY_TEST_SECONDS: seconds,
    GANGWAY_TEST_DEVICES: devices,
    GANGWAY_TEST_INGEST: ingest,
    ...(seed !== undefined && { GANGWAY_TEST_SEED: seed }),
  },
})
process.exitCode = status ?? 1
