/**
 * Several servers as processes of their own on one database, for stories in which some of them hang or die:
 *
 *     await using cluster = await startCluster(2, carrier.environment)
 *     cluster.freeze(1)
 */
import { randomBytes } from 'node:crypto'
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt'
import { testDatabase, type TestDatabase } from './database.ts'
import { adminPassword, apiAt, logIn, type TestAnswer } from './platform.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

export interface Cluster extends AsyncDisposable {
  database: ClusterDatabase
  nodes: ServerProcess[]
  /** Access token of the administrator. */
  token: string
  /** A request of the administrator, which has to succeed. */
  call(node: number, method: string, path: string, body?: unknown): Promise<TestAnswer>
  /** The same as `call`, but the request may fail. */
  ask(node: number, method: string, path: string, body?: unknown): Promise<TestAnswer>
  /** A client of the broker. @returns its key */
  makeDevice(id: string): Promise<string>
  /** The device reconnects when its test says so. */
  connect(node: number, id: string, options?: IClientOptions): Promise<MqttClient>
  /** The process does nothing until it is thawed, and keeps its connections. */
  freeze(node: number): void
  thaw(node: number): void
}

export type ClusterDatabase = Pick<TestDatabase, 'url' | 'pool'>

/** Variables of a node on top of its `DATABASE_URL`, which they may replace. */
type Environment = Record<string, string>

export const clientsPath = '/v1/providers/mqtt/clients'

/**
 * @param environment of all nodes, or of each
 * @param given one of the test's own, which outlives the cluster
 */
export async function startCluster(
  count: number,
  environment: Environment | ((node: number) => Environment),
  given?: ClusterDatabase,
): Promise<Cluster> {
  const own = given ? undefined : await testDatabase()
  const database = given ?? own!
  const nodes: ServerProcess[] = []
  const shared = { DATABASE_URL: database.url, GANGWAY_SECRET_KEY: randomBytes(32).toString('base64') }
  const environmentOf = typeof environment === 'function' ? environment : () => environment
  while (nodes.length < count)
    nodes.push(await startServerProcess({ ...shared, ...environmentOf(nodes.length) }))
  const api = (node: number) => apiAt(nodes[node]!.endpoints.http)
  const token = await logIn(api(0), 'admin@example.com', adminPassword)
  const keys = new Map<string, string>()
  const cluster: Cluster = {
    database,
    nodes,
    token,
    ask: (node, method, path, body) => api(node)(method, path, body, { token }),
    call: async (node, method, path, body) => {
      const answer = await cluster.ask(node, method, path, body)
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
      return answer
    },
    makeDevice: async (id) => {
      await cluster.call(0, 'POST', clientsPath, { id, displayName: id })
      const { primaryKey } = (await cluster.call(0, 'GET', `${clientsPath}/${id}/credentials`)).body
      keys.set(id, primaryKey)
      return primaryKey
    },
    connect: (node, id, options) =>
      connectAsync(nodes[node]!.endpoints.mqtt, {
        clientId: id,
        username: id,
        password: keys.get(id)!,
        reconnectPeriod: 0,
        ...options,
      }),
    freeze: (node) => void process.kill(nodes[node]!.pid(), 'SIGSTOP'),
    thaw: (node) => void process.kill(nodes[node]!.pid(), 'SIGCONT'),
    [Symbol.asyncDispose]: async () => {
      for (const node of nodes) await node[Symbol.asyncDispose]()
      await own?.[Symbol.asyncDispose]()
    },
  }
  return cluster
}
