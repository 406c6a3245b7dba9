/** The PostgreSQL of this test run; global-setup.ts starts it, each test file makes databases on it. */
import { Client } from 'pg'

interface TestServer {
  /** A database of it in which nothing is kept, to create and drop others from. */
  url: string
  /** Every database of this run starts with it. */
  prefix: string
  template: string
  /** The template with a first tenant. */
  platformTemplate: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** Different from that of other runs on this machine. */
    runNumber: number
    testServer: TestServer
    /** Whether `server/dist`, `device/dist` and `demo/dist` are up to date with the sources. */
    isBuilt: boolean
  }
}

export function databaseUrl(serverUrl: string, name: string) {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

export async function execute(url: string, sql: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}
