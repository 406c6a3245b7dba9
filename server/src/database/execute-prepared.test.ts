import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../test/harness/database.ts'
import { executePrepared, hidden } from './execute-prepared.ts'
import { selectTogether } from './select-together.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

test('a statement is prepared once for a connection, and executed with other values', async () => {
  await database.db.connection().execute(async (db) => {
    const double = (value: number) =>
      executePrepared(db, 'double', sql<{ doubled: number }>`select 2 * ${value}::int as doubled`)
    expect((await double(1)).rows).toEqual([{ doubled: 2 }])
    expect((await double(4)).rows).toEqual([{ doubled: 8 }])
    const builder = db.selectFrom('tenants').select('id').where('id', '=', 'nobody')
    expect((await executePrepared(db, 'find tenant', builder)).rows).toEqual([])
    const { rows } = await sql`select name, generic_plans + custom_plans as executions
      from pg_prepared_statements order by name`.execute(db)
    expect(rows).toEqual([
      { name: 'double', executions: '2' },
      { name: 'find tenant', executions: '1' },
    ])
  })
})

test('the plan of a statement with hidden arrays is kept, whatever their length', async () => {
  await database.db.connection().execute(async (db) => {
    const find = (ids: string[]) =>
      executePrepared(
        db,
        'tenants by id',
        db
          .selectFrom('tenants')
          .select('id')
          .where('id', '=', sql<string>`any(${hidden(ids, 'text')})`),
      )
    for (let length = 1; length <= 20; length++) await find(Array.from({ length }, (_, index) => `t${index}`))
    expect((await find(['nobody'])).rows).toEqual([])
    const { rows } = await sql`select generic_plans, custom_plans from pg_prepared_statements
      where name = 'tenants by id'`.execute(db)
    expect(rows).toEqual([{ generic_plans: '16', custom_plans: '5' }])
  })
})

test('an error names what PostgreSQL refused', async () => {
  const wrong = executePrepared(database.db, 'wrong', sql`select ${'x'}::int`)
  await expect(wrong).rejects.toMatchObject({ code: '22P02' })
})

test('selects that are sent together answer as they do alone', async () => {
  await database.db.connection().execute(async (db) => {
    const read = (limit: number) =>
      selectTogether<{ numbers: { number: number; text: string | null }; nothing: object; empty: object }>(
        db,
        'numbers and nothing',
        {
          numbers: sql`select number, nullif(number::text, '2') as text from generate_series(1, ${limit}::int) number order by number desc`,
          nothing: sql`select from generate_series(1, ${limit}::int)`,
          empty: sql`select 1 as one where false`,
        },
      )
    expect(await read(1)).toEqual({ numbers: [{ number: 1, text: '1' }], nothing: [{}], empty: [] })
    const { numbers, nothing } = await read(2)
    expect(numbers).toEqual([
      { number: 2, text: null },
      { number: 1, text: '1' },
    ])
    expect(nothing).toHaveLength(2)
  })
})
