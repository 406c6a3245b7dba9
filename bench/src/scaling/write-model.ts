/** The tables of what was measured, and of the model. */
import { type Comparison, sumCost } from './compare.ts'
import type { Model, PartCost } from './costs.ts'
import type { Figures } from './figures.ts'
import { figure, nameWay, writeTable } from './write-table.ts'

const pair = (measured: number, modelled: number) => `${figure(measured)} / ${figure(modelled)}`

export const writeComparison = (compared: Comparison[]): string =>
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

export function writeAlone({ commit, publish }: Figures): string {
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

export function writeCosts({ direct, stream }: Model): string {
  const row = (name: string, { wake, read, message, batch, commit }: PartCost) => [
    name,
    ...[wake, read, message, batch, commit].map((us) => (us > 0 ? figure(us) : '')),
  ]
  return writeTable(
    ['processor time, µs', 'a sleep', 'a read', 'a message', 'a batch', 'a commit'],
    [
      row('gateway, direct', direct.gateway),
      row('PostgreSQL, direct', direct.database),
      row('gateway, stream', stream.gateway),
      row('ingest, stream', stream.ingest),
      row('PostgreSQL, stream', stream.database),
      row('NATS, each server', stream.nats),
    ],
  )
}
