import { Gauge, type Registry } from 'prom-client'
import type { Nodes } from './nodes.ts'

/** Adds the metric of the messages between nodes. */
export function createNodeMetrics(registry: Registry, { transport }: Nodes): void {
  const connected = new Gauge({
    name: 'gangway_nodes_connected',
    help: 'Whether messages of other nodes are received at once: 1, or 0 while NATS (where configured) or the database is lost',
    registers: [],
    collect() {
      this.set(transport.isConnected() ? 1 : 0)
    },
  })
  registry.registerMetric(connected)
}
