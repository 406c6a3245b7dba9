// The rules of the house that no linter knows: which way imports run, that none run in a circle, how long a file may be,
// where the environment is read, that no module keeps state, that a workspace names the packages that it needs at run
// time, that each citation and link of the guide leads to a heading of docs/, and that the list of faults that no test
// notices names present code.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { root } from './build.mjs'
import { findCitationProblems, readTexts } from './citations.mjs'
import { findImportCycles } from './import-cycles.mjs'
import { findMissingPackages } from './imported-packages.mjs'
import { findModuleState } from './module-state.mjs'
import { findOutdated } from './mutants/survivors.mjs'
import { parseModule } from './parse.mjs'

const MAX_LINES = 400

const floor = ['http', 'database', 'nodes', 'jobs', 'lib', 'audit', 'tls']
const walk = ['mqtt', 'ingest', 'timeseries', 'alarms', 'notifications', 'push']
const main = [
  'main.ts',
  'routes.ts',
  'guards.ts',
  'context.ts',
  'runtime.ts',
  'parts.ts',
  'start-up',
  'system',
  'cli',
]

/** Imports run one way: floor ← rooms ← walk ← main. What is neither floor, walk nor main is a room. */
const findStorey = (path) => {
  const [folder] = path.split('/')
  if (floor.includes(folder) || path === 'config.ts' || path === 'version.ts') return 0
  if (walk.includes(folder)) return 2
  return main.includes(folder) ? 3 : 1
}

const files = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx', '*.mjs'],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter(Boolean)

const readPackage = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
const dependencies = Object.fromEntries(
  readPackage('.').workspaces.map((workspace) => [workspace, readPackage(workspace).dependencies]),
)

const problems = []
const modules = []
const sources = []
for (const file of files) {
  let text
  try {
    text = readFileSync(join(root, file), 'utf8')
  } catch {
    continue // deleted, not yet committed
  }
  const lines = text.split('\n').length
  if (lines > MAX_LINES && !file.includes('/generated/'))
    problems.push(`${file} has ${lines} lines: split it (at most ${MAX_LINES})`)
  // The console is installed as a bundle, which contains its packages.
  if (/^(?!console)\w+\/src\//.test(file) && !file.endsWith('.test.ts')) sources.push({ file, text })
  if (/^(?:server|device|client)\/src\//.test(file) && !file.endsWith('.test.ts'))
    modules.push(parseModule(file, text))
  if (!file.startsWith('server/src/') || file.endsWith('.test.ts')) continue
  const path = file.slice('server/src/'.length)
  if (path !== 'config.ts' && text.includes('process.env') && path !== 'main.ts' && !path.startsWith('cli/'))
    problems.push(`${file} reads the environment: config.ts alone does`)
  // A type costs nothing at run time and binds no storey to another.
  for (const [, target] of text.matchAll(/^(?:import|export) (?!type )[^'"]*?from '(\.[^']+)'/gms)) {
    const to = normalize(join(dirname(path), target))
    if (findStorey(to) > findStorey(path))
      problems.push(`${file} imports ${to}: imports run floor ← rooms ← walk ← main`)
  }
}

for (const cycle of findImportCycles(modules))
  problems.push(`${cycle.join(' → ')} is a cycle: move what these files share into one of its own`)
problems.push(
  ...findModuleState(modules),
  ...findMissingPackages(sources, dependencies),
  ...findCitationProblems(readTexts(root), root),
  ...findOutdated(),
)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`The house is in order: ${files.length} files.`)
