import { expect, test } from 'vitest'
import { emptyDatabase } from '../../../test/harness/database.ts'
import { readMigrations } from '../../database/migration-files.ts'

const twinTable = `
  create table client_twins (
    client_number int not null, component_id text not null default '', reported jsonb not null default '{}',
    desired jsonb not null default '{}', desired_version bigint not null default 0, desired_at timestamptz,
    primary key (client_number, component_id))`

test('an upgrade moves desired properties of components into the state that the device receives', async () => {
  await using database = await emptyDatabase()
  const { pool } = database
  await pool.query(twinTable)
  const insert = (client: number, component: string, desired: object, version: number) =>
    pool.query(
      'insert into client_twins (client_number, component_id, desired, desired_version) values ($1, $2, $3, $4)',
      [client, component, JSON.stringify(desired), version],
    )
  await insert(1, '', { interval: 5, pump: 'off' }, 7)
  await insert(1, 'motor', { speed: 5 }, 2)
  await insert(1, 'pump', { hidden: true }, 9)
  await insert(2, 'motor', { speed: 6 }, 3)
  await insert(3, '', { a: 1 }, 1)
  const [migration] = (await readMigrations()).filter(({ name }) => name === 'one-twin-a-client')
  await pool.query(migration!.sql)
  const { rows } = await pool.query(
    'select client_number as number, desired, desired_version::int as version from client_twins order by 1',
  )
  expect(rows).toEqual([
    { number: 1, desired: { interval: 5, pump: 'off', motor: { speed: 5 } }, version: 8 },
    { number: 2, desired: { motor: { speed: 6 } }, version: 3 },
    { number: 3, desired: { a: 1 }, version: 1 },
  ])
})
