import type { Bench } from '../bench-case.ts'

/** What a process needs besides its connections: files, database, pipes. */
const OTHER_FILES = 500

interface ReportLimits {
  userLimits?: { open_files?: { hard: number | string } }
}

/**
 * Limits the connections to what this machine allows. Each needs a local port and a file descriptor, of which Node uses
 * as many as the hard limit allows.
 */
export function affordableConnections(bench: Bench, wanted: number): number {
  const { userLimits } = process.report.getReport() as unknown as ReportLimits
  const openFiles = Number(userLimits?.open_files?.hard)
  // "unlimited", or a platform that has no such limit.
  if (Number.isNaN(openFiles) || openFiles - OTHER_FILES >= wanted) return wanted
  const affordable = openFiles - OTHER_FILES
  if (affordable < 1)
    throw new Error(`a process may open ${openFiles} files only; raise the limit (ulimit -Hn)`)
  bench.progress(
    `${affordable} connections instead of ${wanted}: a process may open ${openFiles} files (ulimit -Hn)`,
  )
  return affordable
}
