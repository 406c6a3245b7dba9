/** Programs that examples of the docs need, and the examples themselves. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

const runs = (program: string, args: string[]) => spawnSync(program, args).status === 0

/** Those of the programs that are not installed. */
export const missingPrograms = (programs: string[]): string[] =>
  programs.filter((program) => !runs(program, ['--version']))

/** A Python with paho-mqtt. Debian's package is for Debian's Python, which may not be the first one in the path. */
export const findPythonWithPaho = (): string | undefined =>
  ['python3', '/usr/bin/python3'].find((program) => runs(program, ['-c', 'import paho.mqtt.client']))

/** The code blocks of a Markdown text in one language, as one text. */
export const codeBlocks = (markdown: string, language: string): string =>
  [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, tag]) => tag === language)
    .map(([, , text]) => text)
    .join('\n')
