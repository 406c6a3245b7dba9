/** Findings for people, as a table, and for programs, as JSON. */
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Finding, type Goal, isMet } from './measure/finding.ts'

export interface Result {
  case: string
  measuredAt: string
  machine: Machine
  findings: (Finding & { met?: boolean })[]
}

export interface Machine {
  node: string
  platform: string
  cpus: number
  /** Processes that wanted to run in the minute before. */
  loadBefore: number
}

export const describeMachine = (): Machine => ({
  node: process.version,
  platform: `${process.platform}-${process.arch}`,
  cpus: cpus().length,
  loadBefore: loadavg()[0]!,
})

export const resultsDir = fileURLToPath(new URL('../../bench-results/', import.meta.url))

export const makeResult = (name: string, machine: Machine, findings: Finding[]): Result => ({
  case: name,
  measuredAt: new Date().toISOString(),
  machine,
  findings: findings.map((finding) => ({ ...finding, met: isMet(finding) })),
})

/** @returns the file's path, from here */
export async function writeResult(result: Result): Promise<string> {
  await mkdir(resultsDir, { recursive: true })
  const path = join(resultsDir, `${result.case}.json`)
  await writeFile(path, `${JSON.stringify(result, null, 2)}\n`)
  return relative(process.cwd(), path)
}

const header = ['case', 'measure', 'ratio', 'goal', '', 'here', 'compared with']

export function writeTable(results: Result[]): string {
  const rows = results.flatMap((result) => result.findings.map((finding) => makeRow(result.case, finding)))
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length)),
  )
  const writeLine = (cells: string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd()
  return [
    '',
    writeLine(header),
    writeLine(widths.map((width) => '-'.repeat(width))),
    ...rows.map(writeLine),
    '',
    'A ratio of 1 is as good as what it is compared with in this same run; more is better.',
  ].join('\n')
}

/** @returns a line for the progress of a case */
export const writeFinding = (finding: Finding): string =>
  makeRow('', { ...finding, met: isMet(finding) } as Result['findings'][number])
    .filter(Boolean)
    .join('  ')

function makeRow(name: string, finding: Result['findings'][number]): string[] {
  const { measure, unit, value, baseline, ratio, goal, met } = finding
  return [
    name,
    measure,
    ratio === undefined ? '' : ratio.toPrecision(3),
    goal ? goalText(goal, unit) : '',
    met === undefined ? '' : met ? 'met' : 'MISSED',
    `${figure(value)} ${unit}`,
    baseline ? `${figure(baseline.value)} ${unit}, ${baseline.name}` : '',
  ]
}

function goalText(goal: Goal, unit: string): string {
  if ('ratioAtLeast' in goal) return `ratio ≥ ${goal.ratioAtLeast}`
  return 'valueAtMost' in goal ? `≤ ${goal.valueAtMost} ${unit}` : `≥ ${figure(goal.valueAtLeast)} ${unit}`
}

/** Three digits; more would pretend to know. */
const figure = (value: number) => Number(value.toPrecision(3)).toLocaleString('en')
