/** The connection of a backup or restore, without time limits, since the file at the other end may be slow. */
import type { Socket } from 'node:net'
import type { ClientConfig } from 'pg'
import { Client } from 'pg'
import { commonOptions } from '../../database/pool.ts'
import { BackupError } from './error.ts'

/** Fixes the format of values, independent of the database's own settings. */
const settings = `
  set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set lock_timeout = 0;
  set client_encoding = 'UTF8'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set timezone = 'UTC';
  set extra_float_digits = 1; set bytea_output = 'hex'`

interface Connected {
  /** False while an answer is outstanding. */
  readyForQuery: boolean
  connection: { stream: Socket }
}

export interface Session extends AsyncDisposable {
  client: Client
}

export async function openSession(connection: ClientConfig): Promise<Session> {
  const client = new Client({ ...commonOptions('gangway backup'), ...connection })
  // The running query fails with the same error.
  client.on('error', () => {})
  await client.connect().catch((error: Error) => {
    throw new BackupError(`The database does not answer: ${error.message}. Check DATABASE_URL.`)
  })
  await client.query(settings)
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      const { readyForQuery, connection: own } = client as unknown as Connected
      if (readyForQuery) return client.end()
      // Otherwise an abandoned COPY would be read to its end.
      own.stream.destroy()
    },
  }
}
