/** Argument: the options as JSON. Prints the address of its database, and runs it until it is killed. */
import { lockDirectory } from '../../src/database/directory-lock.ts'
import { startEmbeddedDatabase } from '../../src/database/embedded/start.ts'
import { testLog } from '../harness/log.ts'

const options = JSON.parse(process.argv[2]!) as { dataDir: string; settings: Record<string, string> }
await lockDirectory(options.dataDir)
const database = await startEmbeddedDatabase({ ...options, log: testLog })
console.log(JSON.stringify({ connection: database.connection, pid: database.pid() }))
