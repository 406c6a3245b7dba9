import { Gauge, type Registry } from 'prom-client'
import type { Replica, ReplicaState } from './read-replica.ts'

/** Adds the metrics of the read replica, which is asked once for each reading of `/metrics`. */
export function createReplicaMetrics(registry: Registry, replica: Pick<Replica, 'readState'>): void {
  let reading: Promise<ReplicaState> | undefined
  const read = () => (reading ??= replica.readState().finally(() => (reading = undefined)))
  const add = (name: string, help: string, value: (state: ReplicaState) => number) =>
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        async collect() {
          this.set(value(await read()))
        },
      }),
    )
  add(
    'gangway_replica_up',
    'Whether the read replica answers queries: 1, or 0 while the database does; NaN while the database does not answer',
    ({ isUsable }) => (isUsable === undefined ? NaN : Number(isUsable)),
  )
  const lag = 'of the read replica; NaN while it or the database does not answer'
  add('gangway_replica_lag_bytes', `Log that is not replayed yet, ${lag}`, ({ lagBytes }) => lagBytes ?? NaN)
  add(
    'gangway_replica_lag_seconds',
    `Age of the last replayed transaction if there are more, ${lag}`,
    (state) => state.lagSeconds ?? NaN,
  )
}
