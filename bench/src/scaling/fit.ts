/**
 * Finds the parameters of the model: least squares of what each process took at each point that was measured. How often it
 * slept was not measured, and is what the model says.
 */
import { type Costs, type Model, NOTHING } from './costs.ts'
import { type Cost, type Figures, mapParts, type MeasuredPoint, type Point } from './figures.ts'
import { type Row, solve } from './least-squares.ts'
import { describeLoad } from './measured-load.ts'
import { simulate, type Simulated } from './simulate.ts'

/** How often processes sleep depends on what all costs, and what all costs on how often they sleep. */
const ROUNDS = 20
const SECONDS = 3

type Counts = Pick<Simulated, 'sleeps' | 'readsPerMessage'>

export function fitModel(figures: Figures): Model {
  let counts = figures.points.map(guessCounts)
  for (let round = 0; round < ROUNDS; round++) {
    const found = countAll(figures, fitCosts(figures.points, counts))
    counts = counts.map((before, index) => averageSleeps(before, found[index]!))
  }
  return roundCosts(fitCosts(figures.points, counts))
}

/** @returns the model that one more round of the fit makes of this one */
export const refineModel = (figures: Figures, model: Model): Model =>
  fitCosts(figures.points, countAll(figures, model))

const roundCosts = (model: Model): Model =>
  JSON.parse(
    JSON.stringify(model, (_key, value: unknown) => (typeof value === 'number' ? round(value) : value)),
  )

/** Three digits; more would pretend to know. */
const round = (value: number) => Number(value.toPrecision(3))

const countAll = (figures: Figures, model: Model): Counts[] =>
  figures.points.map((point) => simulate(describeLoad(figures, point, { model, seconds: SECONDS })))

const guessCounts = ({ inFlight }: Point): Counts => {
  const sleeps = inFlight > 0 ? 0.01 : 2
  return {
    sleeps: { gateway: sleeps, ingest: sleeps, database: sleeps, nats: sleeps, fleet: sleeps },
    readsPerMessage: inFlight > 0 ? 0.06 : 1,
  }
}

/** The half of each step, so that the steps end. */
const averageSleeps = (before: Counts, found: Counts): Counts => ({
  ...found,
  sleeps: mapParts((part) => (before.sleeps[part] + found.sleeps[part]) / 2),
})

/** Work that a server does with and without the stream by the same code has one cost for both, and so has a sleep of a server. */
function fitCosts(points: MeasuredPoint[], counts: Counts[]): Model {
  const rows = points.map((point, index) => listRows(point, counts[index]!))
  const server = solve(rows.flatMap(({ gateway, ingest }) => [gateway, ingest]))
  const database = solve(rows.map((row) => row.database))
  const nats = solve(rows.map((row) => row.nats))
  const fleet = solve(rows.map((row) => row.fleet))
  const pick = (found: Record<string, number>, names: Partial<Record<string, string>>) => ({
    wake: found.wake!,
    read: found[names.read ?? ''] ?? 0,
    message: found[names.message ?? ''] ?? 0,
    batch: found[names.batch ?? ''] ?? 0,
    commit: found[names.commit ?? ''] ?? 0,
  })
  const shared: Pick<Costs, 'nats' | 'fleet' | 'ingest'> = {
    ingest: pick(server, { message: 'ingestMessage', batch: 'ingestBatch', commit: 'ingestCommit' }),
    nats: pick(nats, { read: 'read', message: 'message', batch: 'batch' }),
    fleet: pick(fleet, { read: 'read', message: 'message' }),
  }
  return {
    direct: {
      ...shared,
      ingest: NOTHING,
      nats: NOTHING,
      gateway: pick(server, { read: 'read', message: 'directMessage', commit: 'directCommit' }),
      database: pick(database, { message: 'message', commit: 'directCommit' }),
    },
    stream: {
      ...shared,
      gateway: pick(server, { read: 'read', message: 'message', batch: 'batch' }),
      database: pick(database, { message: 'message', commit: 'commit' }),
    },
  }
}

function listRows(point: MeasuredPoint, { sleeps, readsPerMessage: read }: Counts) {
  const { replicas, messagesPerCommit, messagesPerBatch, cost } = point
  const commit = 1 / messagesPerCommit
  const batch = replicas === 0 ? 0 : 1 / messagesPerBatch
  const isDirect = replicas === 0
  const shares: Record<keyof Cost, Record<string, number>> = {
    gateway: isDirect ? { read, directMessage: 1, directCommit: commit } : { read, message: 1, batch },
    ingest: { ingestMessage: 1, ingestBatch: batch, ingestCommit: commit },
    database: { message: 1, [isDirect ? 'directCommit' : 'commit']: commit },
    nats: { read: batch, message: replicas, batch: replicas * batch },
    fleet: { read, message: 1 },
  }
  return mapParts<Row>((part) => ({ shares: { wake: sleeps[part], ...shares[part] }, sum: cost[part] }))
}
