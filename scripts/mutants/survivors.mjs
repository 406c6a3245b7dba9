// The faults that can be put into the sources, and the list of those that no test notices, with their reasons.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../build.mjs'
import { findFaults } from './faults.mjs'
import { rooms } from './rooms.mjs'

const listed = JSON.parse(readFileSync(join(root, 'scripts/mutants/survivors.json'), 'utf8'))
const isSame = (one, { file, before, after }) =>
  one.file === file && one.before === before && one.after === after

export const reasonOf = (fault) => listed.find((one) => isSame(one, fault))

const listSources = () =>
  execFileSync('git', ['ls-files', 'server/src'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|\/schema\.ts$/.test(file))

export function findFaultsOfRoom({ sources, except = [] }) {
  const isIn = (folders, file) => folders.some((folder) => file.startsWith(`server/src/${folder}/`))
  const files = listSources().filter((file) => isIn(sources, file) && !isIn(except, file))
  return files.flatMap((file) => findFaults(file, readFileSync(join(root, file), 'utf8')))
}

/** @returns entries of the list whose code was changed since */
export function findOutdated() {
  const present = rooms.flatMap(findFaultsOfRoom)
  return listed
    .filter((one) => !present.some((fault) => isSame(one, fault)))
    .map(
      ({ file, before }) => `scripts/mutants/survivors.json names code that was changed: ${file}: ${before}`,
    )
}
