import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Runs a program to its end. The error of one that fails holds what it wrote. */
export const execute = promisify(execFile)
