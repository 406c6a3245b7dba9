/**
 * CPU time of a process and its children. Unlike the clock on the wall, it hardly depends on what else the machine does.
 * Linux only.
 */
import { readdir, readFile } from 'node:fs/promises'

/** Clock ticks a second in `/proc/<pid>/stat`: the same on all architectures that Node.js runs on. */
const TICKS_PER_SECOND = 100

interface ProcessTimes {
  parent: number
  /** Ticks of the process. */
  own: number
  /** Ticks of children that have ended. */
  ended: number
}

/** @throws if the process has ended */
export async function readCpuSeconds(pid: number): Promise<number> {
  const process = await readTimes(pid)
  if (!process) throw new Error(`the process ${pid} has ended`)
  let ticks = process.own + process.ended
  for (const name of await readdir('/proc')) {
    const child = /^\d+$/.test(name) ? await readTimes(Number(name)) : undefined
    if (child?.parent === pid) ticks += child.own
  }
  return ticks / TICKS_PER_SECOND
}

/** @returns undefined if the process has ended */
async function readTimes(pid: number): Promise<ProcessTimes | undefined> {
  const line = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined)
  // The name of the program, in brackets, may contain spaces and brackets.
  const fields = line
    ?.slice(line.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  if (!fields) return undefined
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15) as [number, number, number, number]
  return { parent: fields[1]!, own: user + system, ended: endedUser + endedSystem }
}
