/** Processor time of a process and all its descendants, on Linux. */
import { readdir, readFile } from 'node:fs/promises'

const TICKS_PER_SECOND = 100

interface ProcessTime {
  parent: number
  seconds: number
}

export async function readTreeSeconds(root: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const processes = new Map<number, ProcessTime>()
  for (const pid of pids) {
    const time = await readProcess(pid)
    if (time) processes.set(Number(pid), time)
  }
  const isWithin = (pid: number): boolean => {
    if (pid === root) return true
    const parent = processes.get(pid)?.parent
    return parent !== undefined && parent > 1 && isWithin(parent)
  }
  return [...processes].filter(([pid]) => isWithin(pid)).reduce((sum, [, { seconds }]) => sum + seconds, 0)
}

/** @returns undefined if the process has ended */
async function readProcess(pid: string): Promise<ProcessTime | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name in parentheses may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields.length < 14) return undefined
  return { parent: Number(fields[1]), seconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND }
}
