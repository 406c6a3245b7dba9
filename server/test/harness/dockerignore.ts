import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** @returns whether `.dockerignore` keeps a path out: the last pattern that names it or a folder above it decides */
export async function readDockerIgnore(context: string): Promise<(path: string) => boolean> {
  const rules = (await readFile(join(context, '.dockerignore'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ ignores: !line.startsWith('!'), pattern: makePattern(line.replace(/^!/, '')) }))
  return (path) => rules.findLast(({ pattern }) => pattern.test(path))?.ignores ?? false
}

function makePattern(glob: string): RegExp {
  const text = glob
    .replaceAll('.', String.raw`\.`)
    .replaceAll(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'))
  return new RegExp(`^${text}(?:/|$)`)
}
