/** The tables of what a load needs, and of what is taken for granted. */
import { ASSUMPTIONS, EXAMPLE_PRICES } from './assumptions.ts'
import type { Plan } from './plan.ts'
import { figure, writeTable } from './write-table.ts'

const rowsOfPlan: [name: string, read: (planned: Plan) => string][] = [
  ['devices', ({ devices }) => devices.toLocaleString('en')],
  ['messages a second', ({ messagesPerSecond }) => messagesPerSecond.toLocaleString('en')],
  ['gateways', ({ gateways }) => figure(gateways)],
  ['ingest nodes', ({ ingestNodes }) => figure(ingestNodes)],
  ['vCPU busy: gateways', ({ processors }) => figure(processors.gateway)],
  ['vCPU busy: ingest', ({ processors }) => figure(processors.ingest)],
  ['vCPU busy: PostgreSQL', ({ processors }) => figure(processors.database)],
  ['vCPU busy: NATS', ({ processors }) => figure(processors.nats)],
  ['vCPU to buy', ({ vcpu }) => figure(vcpu)],
  ['GB of memory, nodes', ({ memoryGB }) => figure(memoryGB)],
  ['messages in a commit', ({ messagesPerCommit }) => figure(messagesPerCommit)],
  ['commits a second', ({ commitsPerSecond }) => figure(commitsPerSecond)],
  ['PUBACK p50 ms', ({ p50Ms }) => figure(p50Ms)],
  ['MB a second: devices', ({ deviceMBPerSecond }) => figure(deviceMBPerSecond)],
  ['MB a second: log of PostgreSQL', ({ logMBPerSecond }) => figure(logMBPerSecond)],
  ['MB a second: NATS', ({ streamMBPerSecond }) => figure(streamMBPerSecond)],
  ['PostgreSQL primaries', ({ databases }) => `${databases}`],
  ['too much for one', ({ ends }) => ends.join(', ') || 'nothing'],
  ['installations', ({ installations }) => `${installations}`],
  ['TB as rows', ({ rowsTB }) => figure(rowsTB)],
  ['TB packed', ({ packedTB }) => figure(packedTB)],
  ['price of a month, example', ({ monthlyPrice }) => figure(monthlyPrice)],
]

export const writePlans = (plans: Plan[]): string =>
  writeTable(
    ['', ...plans.map((_, index) => `${index + 1}`)],
    rowsOfPlan.map(([name, read]) => [name, ...plans.map(read)]),
  )

export function writeAssumptions(): string {
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
      ['p99 of PUBACK at most, by the model', `${ASSUMPTIONS.p99Ms} ms`],
      ['largest PostgreSQL: processors, log', `${databaseProcessors}, ${databaseLogMB} MB a second`],
      ['partitions of the stream', `${partitions}`],
      ['example prices of a month: vCPU, GB of memory, TB of disk', Object.values(EXAMPLE_PRICES).join(', ')],
    ],
  )
}
