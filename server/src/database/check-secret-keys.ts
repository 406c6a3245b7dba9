/**
 * Checks that the secret key belongs to the database before anything is written. Every database that a server has used
 * has a sealed signing key, which is opened as a test.
 */
import type pg from 'pg'
import { createSealer, sealedPlace } from '../lib/seal.ts'
import { findKeyAdvice, SecretKeyError } from '../lib/secret-key.ts'

export interface SecretKeys {
  /** Undefined if there are none yet. */
  keys: Buffer[] | undefined
  /** The file of the keys; undefined if they come from GANGWAY_SECRET_KEY. */
  file: string | undefined
  /** Accepts an empty database although the key file exists. */
  newDatabase: boolean
}

/** @throws SecretKeyError */
export async function checkSecretKeys(
  pool: pg.Pool | pg.ClientBase,
  { keys, file, newDatabase }: SecretKeys,
): Promise<void> {
  if (keys && file && !newDatabase && (await isEmpty(pool)))
    throw new SecretKeyError(
      `The database is empty, though ${file} is the key of one. Check DATABASE_URL, or restore a backup: npm run restore -- FILE. ` +
        'To start with the empty database, set GANGWAY_NEW_DATABASE=yes for one start.',
    )
  const sealed = await findSealedSecret(pool)
  if (!sealed) return
  if (!keys)
    throw new SecretKeyError(
      `The secret key of this database is missing. ${findKeyAdvice} Without the key the stored secrets are lost.`,
    )
  try {
    createSealer(keys).open(sealed.value, sealed.place)
  } catch {
    throw new SecretKeyError(
      `${file ?? 'GANGWAY_SECRET_KEY'} is not the secret key of this database: its secrets are sealed with another one. ` +
        `Check DATABASE_URL. ${findKeyAdvice}`,
    )
  }
}

async function isEmpty(pool: pg.Pool | pg.ClientBase): Promise<boolean> {
  const { rows } = await pool.query(`select to_regclass('schema_migrations') is null as empty`)
  return rows[0].empty
}

/** Finds a sealed secret of the database; undefined before the first start is complete. */
export async function findSealedSecret(
  pool: pg.Pool | pg.ClientBase,
): Promise<{ value: Buffer; place: string } | undefined> {
  const { rows } = await pool.query(`select to_regclass('signing_keys') is not null as there`)
  if (!rows[0].there) return undefined
  const found = await pool.query<{ id: string; value: Buffer }>(
    'select id, private_jwk_sealed as value from signing_keys order by created_at limit 1',
  )
  const [key] = found.rows
  return key && { value: key.value, place: sealedPlace('signing_keys', 'private_jwk_sealed', key.id) }
}
