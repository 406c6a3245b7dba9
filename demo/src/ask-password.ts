import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** Asks for a password without showing the input. */
export async function askPassword(email: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new Error(
      'Set GANGWAY_ADMIN_PASSWORD to the administrator password (the first start of the server shows it).',
    )
  process.stdout.write(`Password of ${email} (the first start of the server shows it): `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true })
  const password = await reader.question('')
  reader.close()
  process.stdout.write('\n')
  return password
}
