/** Arguments: a database URL and a directory of migrations. Prints the names of those that it ran, as JSON. */
import { migrate } from '../../src/database/migrate.ts'
import { createPool } from '../../src/database/pool.ts'
import { testLog } from '../harness/log.ts'

const [connectionString, directory] = process.argv.slice(2)
const pool = createPool({ connectionString }, testLog)
console.log(JSON.stringify(await migrate(pool, { log: testLog, directory })))
await pool.end()
