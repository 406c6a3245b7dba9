/** Programs that examples of the docs need. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

const runs = (program: string, args: string[]) => spawnSync(program, args).status === 0

/**
 * @param option makes each of them print something and end
 * @returns those that are not installed
 */
export const missingPrograms = (programs: string[], option = '--version'): string[] =>
  programs.filter((program) => spawnSync(program, [option]).error !== undefined)

/** A Python with paho-mqtt. Debian's package is for Debian's Python, which may not be the first one in the path. */
export const findPythonWithPaho = (): string | undefined =>
  ['python3', '/usr/bin/python3'].find((program) => runs(program, ['-c', 'import paho.mqtt.client']))
