// Runs in the process of the tests: records which test file reaches which probe.
import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'

const seen = new Set()

globalThis.probe = (id) => {
  const line = `${id} ${relative(process.cwd(), globalThis.__vitest_worker__.filepath)}\n`
  if (seen.has(line)) return
  seen.add(line)
  appendFileSync(process.env.MUTANTS_PROBES, line)
}
