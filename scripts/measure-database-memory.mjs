/**
 * Memory of the processes of a PostgreSQL over time, without what they share: the buffers that all of them use would be
 * counted in each. Linux only; as root or as PostgreSQL's user.
 *
 *     node scripts/measure-database-memory.mjs <pid of the postmaster> [minutes] [seconds between two looks]
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const [pid, minutes = 60, everySeconds = 60] = process.argv.slice(2).map(Number)
if (!pid) throw new Error('usage: measure-database-memory.mjs <pid of the postmaster> [minutes] [seconds]')

const childrenOf = (parent) =>
  readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id)) return false
    try {
      return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${id}/stat`, 'utf8'))?.[1]) === parent
    } catch {
      return false
    }
  })

/** @returns undefined for a process that ended meanwhile */
function read(id) {
  try {
    const text = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8')
    const kib = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
    const name = readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 60).trim()
    return { id, name, resident: kib('Rss'), private: kib('Private_Clean') + kib('Private_Dirty') }
  } catch {
    return undefined
  }
}

const mib = (kib) => (kib / 1024).toFixed(1)
console.log('minute  processes  private, all (MiB)  largest private (MiB)  largest resident (MiB)  which')
const startedAt = performance.now()
for (;;) {
  const minute = (performance.now() - startedAt) / 60_000
  const all = [`${pid}`, ...childrenOf(pid)].map(read).filter(Boolean)
  const largest = all.toSorted((a, b) => b.private - a.private)[0]
  const sum = all.reduce((total, each) => total + each.private, 0)
  const resident = Math.max(...all.map((each) => each.resident))
  console.log(
    [minute.toFixed(1), all.length, mib(sum), mib(largest?.private ?? 0), mib(resident), largest?.name].join(
      '\t',
    ),
  )
  if (minute >= minutes || all.length === 0) break
  await sleep(everySeconds * 1000)
}
