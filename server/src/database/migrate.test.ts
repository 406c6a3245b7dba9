import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { childProgram } from '../../test/harness/child-program.ts'
import { emptyDatabase, testDatabase } from '../../test/harness/database.ts'
import { testLog } from '../../test/harness/log.ts'
import { temporaryDirectory } from '../../test/harness/temporary-directory.ts'
import { migrate, MigrationError } from './migrate.ts'
import { readMigrations } from './migration-files.ts'

const migrateProgram = await childProgram('migrate')
afterAll(() => migrateProgram[Symbol.asyncDispose]())

const first = {
  '0001-tables.sql': 'create table things (id int primary key); create table words (word text);',
}
const second = { '0002-more.sql': 'alter table things add column name text;' }

/** An empty database and a directory of migrations for it. */
async function setting(files: Record<string, string>) {
  const directory = await temporaryDirectory()
  const database = await emptyDatabase()
  const write = async (more: Record<string, string>) => {
    for (const [name, sql] of Object.entries(more)) await writeFile(join(directory.path, name), sql)
  }
  await write(files)
  return {
    ...database,
    directory: directory.path,
    write,
    migrate: () => migrate(database.pool, { log: testLog, directory: directory.path }),
    [Symbol.asyncDispose]: async () => {
      await directory[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

const tableNames = `select tablename from pg_tables where schemaname = 'public' order by 1`

test('runs each migration once, in order', async () => {
  await using on = await setting(first)
  expect(await on.migrate()).toEqual(['tables'])
  expect(await on.migrate()).toEqual([])
  await on.write(second)
  expect(await on.migrate()).toEqual(['more'])
  const { rows } = await on.pool.query(
    'select number, name, length(checksum) as length from schema_migrations order by 1',
  )
  expect(rows).toEqual([
    { number: 1, name: 'tables', length: 64 },
    { number: 2, name: 'more', length: 64 },
  ])
})

test('a failed migration is rolled back, and its error names the place', async () => {
  await using on = await setting({
    ...first,
    '0002-broken.sql': 'create table half (id int);\n\ncreate tabel rest (id int);',
  })
  await expect(on.migrate()).rejects.toThrow(
    'Migration 2 (broken, line 3) failed: syntax error at or near "tabel"',
  )
  const { rows } = await on.pool.query(tableNames)
  expect(rows.map(({ tablename }) => tablename)).toEqual(['schema_migrations', 'things', 'words'])
})

test('a changed migration is refused; other line ends are accepted', async () => {
  await using on = await setting({ '0001-tables.sql': 'create table things (\n  id int\n);\n' })
  await on.migrate()
  await on.write({ '0001-tables.sql': 'create table things (\r\n  id int\r\n);\r\n' })
  expect(await on.migrate()).toEqual([])
  await on.write({ '0001-tables.sql': 'create table things (id bigint);\n' })
  await expect(on.migrate()).rejects.toThrow(MigrationError)
  await expect(on.migrate()).rejects.toThrow('was changed after it had been applied')
})

test('a database of a newer version is refused', async () => {
  await using on = await setting({ ...first, ...second })
  await on.migrate()
  await using older = await temporaryDirectory()
  await writeFile(join(older.path, '0001-tables.sql'), first['0001-tables.sql'])
  await expect(migrate(on.pool, { log: testLog, directory: older.path })).rejects.toThrow('does not know')
})

test('a migration numbered below one that ran is refused', async () => {
  await using on = await setting(second)
  await expect(on.migrate()).rejects.toThrow('relation "things" does not exist')
  await on.write({ ...second, '0002-more.sql': 'create table others (id int)' })
  await on.migrate()
  await on.write(first)
  await expect(on.migrate()).rejects.toThrow('comes before 2')
})

test('two files with the same number and malformed names are refused', async () => {
  await using on = await setting({ ...first, '0001-twice.sql': 'select 1' })
  await expect(on.migrate()).rejects.toThrow('Two migrations have the number 1')
  await using directory = await temporaryDirectory()
  await writeFile(join(directory.path, 'hello.sql'), 'select 1')
  await expect(readMigrations(directory.path)).rejects.toThrow('hello.sql must be named like')
})

test('concurrent processes run each migration once', async () => {
  // It is slow enough for the others to arrive while the first one runs it.
  await using on = await setting({
    ...first,
    '0002-slow.sql': 'select pg_sleep(0.5); insert into words values ($$once$$);',
  })
  const racers = Array.from({ length: 3 }, () => migrateProgram.run(on.url, on.directory))
  const ran = await Promise.all(racers.map(async ({ firstLine }) => JSON.parse(await firstLine) as string[]))
  expect(ran.toSorted((a, b) => b.length - a.length)).toEqual([['tables', 'slow'], [], []])
  expect((await on.pool.query('select word from words')).rows).toEqual([{ word: 'once' }])
})

test('a database that was migrated before a comment in a file was changed starts', async () => {
  await using database = await testDatabase()
  const setChecksum = (checksum: string) =>
    database.pool.query('update schema_migrations set checksum = $1 where number = 58', [checksum])
  await setChecksum('9b410c787017aa3e293fb989923d049c591ffc3a869dd06757a58ba1cdc88548')
  expect(await migrate(database.pool, { log: testLog })).toEqual([])
  await setChecksum('another')
  await expect(migrate(database.pool, { log: testLog })).rejects.toThrow('Migration 58')
})

test("the project's own migrations are all in the template", async () => {
  await using database = await testDatabase()
  const own = await readMigrations()
  const { rows } = await database.pool.query('select number, checksum from schema_migrations order by number')
  expect(rows).toEqual(own.map(({ number, checksum }) => ({ number, checksum })))
})
