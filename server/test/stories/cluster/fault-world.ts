/**
 * A cluster on loopback that is made to fail: three nodes, three NATS servers and a PostgreSQL, with a proxy between each node
 * and each of the servers behind it, and a mail server.
 */
import { cleanUp } from '../../../src/database/clean-up.ts'
import { connectionUrl } from '../../../src/database/embedded/connection.ts'
import { startEmbeddedDatabase } from '../../../src/database/embedded/start.ts'
import { createPool } from '../../../src/database/pool.ts'
import { type Cluster, type ClusterDatabase, startCluster } from '../../harness/cluster.ts'
import { type KilledPostgres, startSystemPostgres } from '../../harness/killed-postgresql.ts'
import { testLog } from '../../harness/log.ts'
import { type MailServer, startMailServer } from '../../harness/mail-server.ts'
import { type NatsServer, startNatsCluster } from '../../harness/nats-server.ts'
import { type SilentProxy, startSilentProxy } from '../../harness/silent-proxy.ts'
import { temporaryDirectory } from '../../harness/temporary-directory.ts'

/** @returns a whole number below its argument, the same ones for the same seed */
export type Choose = (below: number) => number

/** The ways of a node to the servers that all nodes share. It reaches the other nodes by these only. */
export interface Links {
  database: SilentProxy
  nats: SilentProxy[]
}

export interface World extends AsyncDisposable {
  cluster: Cluster
  nats: NatsServer[]
  mail: MailServer
  /** Of each node. */
  links: Links[]
  /** Ends PostgreSQL as a crash does; it is started again, and recovers. */
  killDatabase(): Promise<void>
  choose: Choose
}

const NODES = 3

export async function startWorld(ingest: string, choose: Choose): Promise<World> {
  await using started = cleanUp()
  const nats = started.use(await startNatsCluster('max_payload: 2MB'))
  const mail = started.use(await startMailServer())
  const database = started.use(await startDatabase())
  const links: Links[] = []
  while (links.length < NODES)
    links.push({
      database: started.use(await startSilentProxy(database.url)),
      nats: await Promise.all(nats.servers.map(async ({ url }) => started.use(await startSilentProxy(url)))),
    })
  const environmentOf = (node: number) => ({
    DATABASE_URL: links[node]!.database.url,
    GANGWAY_NATS_URL: links[node]!.nats.map(({ url }) => url).join(','),
    GANGWAY_INGEST: ingest,
    GANGWAY_SMTP_URL: mail.url,
    GANGWAY_MAIL_FROM: 'gangway@example.com',
  })
  const cluster = started.use(await startCluster(NODES, environmentOf, database))
  return {
    cluster,
    nats: nats.servers,
    mail,
    links,
    killDatabase: database.kill,
    choose,
    ...started.keep(),
  }
}

/** One of its own, since it is killed: that of this machine where the tests run on it. It writes what it commits to the disk. */
async function startDatabase(): Promise<ClusterDatabase & KilledPostgres> {
  await using started = cleanUp()
  const isGiven = process.env.GANGWAY_TEST_DATABASE_URL !== undefined
  const { url, kill } = started.use(await (isGiven ? startSystemPostgres() : startEmbedded()))
  const pool = createPool({ connectionString: url }, testLog, { max: 5 })
  started.use({ [Symbol.asyncDispose]: () => pool.end() })
  return { url, pool, kill, ...started.keep() }
}

async function startEmbedded(): Promise<KilledPostgres> {
  await using started = cleanUp()
  const directory = started.use(await temporaryDirectory())
  const postgres = started.use(await startEmbeddedDatabase({ dataDir: directory.path, log: testLog }))
  const kill = async () => void process.kill(postgres.pid()!, 'SIGKILL')
  return { url: connectionUrl(postgres.connection), kill, ...started.keep() }
}
