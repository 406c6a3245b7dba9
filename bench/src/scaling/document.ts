/** Writes the tables of docs/scaling.md from the figures and the model. */
import { compareAll, type Comparison, sumCost } from './compare.ts'
import type { Figures } from './figures.ts'
import { fitCosts } from './fit.ts'
import { ASSUMPTIONS, type Plan, plan, type PlannedLoad } from './plan.ts'

const START = (name: string) =>
  `<!-- ${name}: written by \`npm run generate\` from bench/figures/scaling.json -->\n`
const END = '<!-- end -->\n'

/** A message every 10 s of each device, and at last one each second. */
const LOADS: PlannedLoad[] = [
  { devices: 1000, messagesPerSecond: 100 },
  { devices: 10_000, messagesPerSecond: 1000 },
  { devices: 100_000, messagesPerSecond: 10_000 },
  { devices: 1_000_000, messagesPerSecond: 100_000 },
  { devices: 1_000_000, messagesPerSecond: 1_000_000 },
]
const WAYS = [0, 3]

/** @returns the document with its tables written again @throws if it has no place for one of them */
export function writeDocument(text: string, figures: Figures): string {
  const tables = {
    measured: writeComparison(compareAll(figures)),
    alone: writeAlone(figures),
    costs: WAYS.map((replicas) => `${nameWay(replicas)}:\n\n${writeCosts(figures, replicas)}`).join('\n'),
    plans: WAYS.map((replicas) => {
      const plans = LOADS.map((load) => plan(figures, load, replicas))
      return `${nameWay(replicas)}:\n\n${writePlans(plans)}`
    }).join('\n'),
    assumptions: writeAssumptions(),
  }
  return Object.entries(tables).reduce((document, [name, table]) => replaceTable(document, name, table), text)
}

function replaceTable(text: string, name: string, table: string): string {
  const [before, rest] = text.split(START(name))
  const after = rest?.slice(rest.indexOf(END))
  if (!after?.startsWith(END)) throw new Error(`docs/scaling.md has no place for the table ${name}`)
  return `${before}${START(name)}\n${table}\n${after}`
}

const nameWay = (replicas: number) =>
  replicas === 0 ? 'Direct' : `Through the stream, ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`

const writeTable = (header: string[], rows: string[][]): string =>
  [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')

/** Three digits; more would pretend to know. */
const figure = (value: number): string => Number(value.toPrecision(3)).toLocaleString('en')
const pair = (measured: number, modelled: number) => `${figure(measured)} / ${figure(modelled)}`

const writeComparison = (compared: Comparison[]): string =>
  writeTable(
    [
      'way',
      'messages a second',
      'p50 ms',
      'p99 ms',
      'messages in a commit',
      'in a batch',
      'processor µs a message',
    ],
    compared.map(({ measured, modelled }) => [
      nameWay(measured.replicas).toLowerCase(),
      measured.inFlight > 0
        ? `at most ${pair(measured.messagesPerSecond, modelled.messagesPerSecond)}`
        : figure(measured.messagesPerSecond),
      ...(measured.inFlight > 0
        ? ['', '']
        : [pair(measured.p50Ms, modelled.p50Ms), pair(measured.p99Ms, modelled.p99Ms)]),
      pair(measured.messagesPerCommit, modelled.messagesPerCommit),
      measured.replicas === 0 ? '' : pair(measured.messagesPerBatch, modelled.messagesPerBatch),
      pair(sumCost(measured), sumCost(modelled)),
    ]),
  )

function writeAlone({ commit, publish }: Figures): string {
  const row = (name: string, { p50Ms, p99Ms }: { p50Ms: number; p99Ms: number }) => [
    name,
    figure(p50Ms),
    figure(p99Ms),
  ]
  return writeTable(
    ['one after the other, alone', 'p50 ms', 'p99 ms'],
    [
      row('a commit of PostgreSQL', commit),
      ...[...publish].map(([replicas, delay]) => row(`a batch in the stream, replicas: ${replicas}`, delay)),
    ],
  )
}

function writeCosts(figures: Figures, replicas: number): string {
  const costs = fitCosts(figures, replicas)
  const names: [keyof typeof costs, string][] = [
    ['gateway', replicas === 0 ? 'gateway and ingest' : 'gateway'],
    ['ingest', 'ingest'],
    ['database', 'PostgreSQL'],
    ['nats', 'NATS, all servers'],
  ]
  return writeTable(
    ['processor time, µs', 'for a message', ...(replicas === 0 ? [] : ['for a batch']), 'for a commit'],
    names
      .filter(([part]) => replicas > 0 || part === 'gateway' || part === 'database')
      .map(([part, name]) => {
        const { message, batch, commit } = costs[part]
        return [name, figure(message), ...(replicas === 0 ? [] : [figure(batch)]), figure(commit)]
      }),
  )
}

const rowsOfPlan: [name: string, read: (planned: Plan) => string][] = [
  ['devices', ({ devices }) => devices.toLocaleString('en')],
  ['messages a second', ({ messagesPerSecond }) => messagesPerSecond.toLocaleString('en')],
  ['gateways', ({ gateways }) => `${gateways}`],
  ['ingest nodes', ({ ingestNodes }) => `${ingestNodes}`],
  ['vCPU busy: gateways', ({ processors }) => figure(processors.gateway)],
  ['vCPU busy: ingest', ({ processors }) => figure(processors.ingest)],
  ['vCPU busy: PostgreSQL', ({ processors }) => figure(processors.database)],
  ['vCPU busy: NATS', ({ processors }) => figure(processors.nats)],
  ['vCPU to buy', (planned) => `${countVcpu(planned)}`],
  ['GB of memory, nodes', ({ memoryGB }) => figure(memoryGB)],
  ['messages in a commit', ({ messagesPerCommit }) => figure(messagesPerCommit)],
  ['commits a second', ({ commitsPerSecond }) => figure(commitsPerSecond)],
  ['PUBACK p50, p99 ms', ({ p50Ms, p99Ms }) => `${figure(p50Ms)}, ${figure(p99Ms)}`],
  ['MB a second: devices', ({ deviceMBPerSecond }) => figure(deviceMBPerSecond)],
  ['MB a second: log of PostgreSQL', ({ logMBPerSecond }) => figure(logMBPerSecond)],
  ['MB a second: NATS', ({ streamMBPerSecond }) => figure(streamMBPerSecond)],
  ['PostgreSQL primaries', ({ databases }) => `${databases}`],
  ['too much for', ({ ends }) => ends.join(', ') || 'nothing'],
  ['TB as rows', ({ rowsTB }) => figure(rowsTB)],
  ['TB packed', ({ packedTB }) => figure(packedTB)],
]

/** Each process has the room that `utilization` leaves it; a part of an installation has a processor at least. */
function countVcpu({ processors }: Plan): number {
  return Object.values(processors)
    .filter((busy) => busy > 0)
    .reduce((sum, busy) => sum + Math.max(1, Math.ceil(busy / ASSUMPTIONS.utilization)), 0)
}

const writePlans = (plans: Plan[]): string =>
  writeTable(
    ['', ...plans.map((_, index) => `${index + 1}`)],
    rowsOfPlan.map(([name, read]) => [name, ...plans.map(read)]),
  )

function writeAssumptions(): string {
  const { values, packedMessageBytes, packedValueBytes, rowDays, packedDays, wireBytes, utilization } =
    ASSUMPTIONS
  const {
    streamMessageBytes,
    streamBatchBytes,
    nodeMB,
    connectionKB,
    databaseProcessors,
    databaseLogMB,
    partitions,
  } = ASSUMPTIONS
  return writeTable(
    ['taken for granted', 'value'],
    [
      ['values of a message', `${values}`],
      ['packed bytes of a message, and of each value', `${packedMessageBytes}, ${packedValueBytes}`],
      ['days kept as rows, and packed', `${rowDays}, ${packedDays}`],
      ['bytes of a message with its PUBACK on the wire', `${wireBytes}`],
      ['bytes of a message, and of a batch, in the stream', `${streamMessageBytes}, ${streamBatchBytes}`],
      ['connections of a gateway at most', ASSUMPTIONS.connections.toLocaleString('en')],
      ['memory of a node, of a connection', `${nodeMB} MB, ${connectionKB} KB`],
      ['share of its processor that a process takes at most', `${utilization}`],
      ['p99 of PUBACK at most', `${ASSUMPTIONS.p99Ms} ms`],
      ['largest PostgreSQL: processors, log', `${databaseProcessors}, ${databaseLogMB} MB a second`],
      ['partitions of the stream', `${partitions}`],
    ],
  )
}
