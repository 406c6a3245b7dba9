/** Reads the numbered `.sql` files. The compiler does not copy them, so `dist` reads them from `src`. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Migration {
  number: number
  name: string
  sql: string
  checksum: string
}

const fileName = /^(\d{4})-([a-z0-9-]+)\.sql$/

const besideThisFile = fileURLToPath(new URL('./migrations', import.meta.url))
const inSource = fileURLToPath(new URL('../../src/database/migrations', import.meta.url))

const migrationsDirectory = () => (existsSync(besideThisFile) ? besideThisFile : inSource)

/** @returns the migrations in order @throws Error if a name has no number or two have the same number */
export async function readMigrations(directory = migrationsDirectory()): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).toSorted()
  const migrations = await Promise.all(names.map((name) => readMigration(directory, name)))
  migrations.forEach((migration, index) => {
    if (migration.number === migrations[index - 1]?.number)
      throw new Error(
        `Two migrations have the number ${migration.number}: ${names[index - 1]}, ${names[index]}.`,
      )
  })
  return migrations
}

async function readMigration(directory: string, file: string): Promise<Migration> {
  const [, number, name] = fileName.exec(file) ?? []
  if (!number || !name) throw new Error(`The migration ${file} must be named like 0001-what-it-does.sql.`)
  // A checkout on Windows may have other line endings.
  const sql = (await readFile(join(directory, file), 'utf8')).replaceAll('\r\n', '\n')
  return { number: Number(number), name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
}
