import { Gauge, type Registry } from 'prom-client'
import type { Nodes } from './nodes.ts'

/** Adds the metric of the messages between nodes. */
export function createNodeMetrics(registry: Registry, { transport }: Nodes): void {
  new Gauge({
    name: 'gangway_nodes_connected',
    help: 'Whether messages of other nodes are received at once: 1, or 0 while NATS (where configured) or the database is lost',
    registers: [registry],
    collect() {
      this.set(transport.isConnected() ? 1 : 0)
    },
  })
}
