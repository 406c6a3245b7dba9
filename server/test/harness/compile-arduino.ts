/** Compiles Arduino sketches against declarations of their libraries; there is no hardware to run them on. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './example-programs.ts'

const run = promisify(execFile)

/** The compiler only checks, and a warning is an error. */
export const strictChecks = ['-fsyntax-only', '-Wall', '-Wextra', '-Werror']
export const standIns = (name: string) => ['-I', join(root, 'server/test/stand-ins', name)]

/** @returns what the compiler wrote; empty if it has nothing to object to @throws if the sketch does not compile */
export async function compileArduino(sketch: string): Promise<string> {
  const input = ['-include', 'Arduino.h', '-x', 'c++', '-']
  const compiling = run('g++', ['-std=gnu++17', ...strictChecks, ...standIns('arduino'), ...input])
  compiling.child.stdin!.end(sketch)
  return (await compiling).stderr
}
