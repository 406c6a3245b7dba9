// Checks openapi.json by the recommended rules of Redocly's linter, whose own exit code lets warnings pass.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { root } from './build.mjs'

const require = createRequire(import.meta.url)
const cli = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js')
const { stdout, stderr } = spawnSync(process.execPath, [cli, 'lint', 'openapi.json', '--format=json'], {
  cwd: root,
  encoding: 'utf8',
  // Disables telemetry.
  env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
})

const { problems } = readReport()
for (const { severity, ruleId, message, location } of problems)
  console.error(`${severity} ${ruleId} at ${location[0]?.pointer}: ${message}`)
if (problems.length > 0) process.exit(1)
console.log("openapi.json keeps the linter's recommended rules.")

function readReport() {
  try {
    return JSON.parse(stdout)
  } catch {
    console.error(`The linter of openapi.json failed:\n${stdout}${stderr}`)
    process.exit(1)
  }
}
