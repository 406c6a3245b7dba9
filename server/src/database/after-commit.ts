/** Actions that belong to a transaction and run right after its commit, before its caller goes on. */
import type { DatabaseConnection, Dialect, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

const ACTIONS = Symbol('actions after the commit')

interface Connection extends DatabaseConnection {
  /** Undefined outside of a transaction. */
  [ACTIONS]?: (() => void)[] | undefined
}

/** A dialect whose transactions take actions for the time after their commit. */
export function withAfterCommit<T extends Dialect>(dialect: T): T {
  const createDriver = dialect.createDriver.bind(dialect)
  return Object.assign(dialect, {
    createDriver() {
      const driver = createDriver()
      const begin = driver.beginTransaction.bind(driver)
      const commit = driver.commitTransaction.bind(driver)
      const rollback = driver.rollbackTransaction.bind(driver)
      return Object.assign(driver, {
        beginTransaction: (connection: Connection, settings: Parameters<typeof begin>[1]) => {
          connection[ACTIONS] = []
          return begin(connection, settings)
        },
        commitTransaction: (connection: Connection) =>
          commit(connection).then(
            () => run(connection),
            (error: { severity?: string }) => {
              // Unless PostgreSQL refused the commit, it may have taken place and its answer was lost.
              if (error.severity !== 'ERROR') run(connection)
              throw error
            },
          ),
        rollbackTransaction: (connection: Connection) => {
          connection[ACTIONS] = undefined
          return rollback(connection)
        },
      })
    },
  })
}

function run(connection: Connection): void {
  const actions = connection[ACTIONS] ?? []
  connection[ACTIONS] = undefined
  for (const action of actions) action()
}

/**
 * Runs the action after the commit of the transaction, also where the answer of the commit is lost, and never if it is
 * rolled back; outside of a transaction at once.
 * @param action must not throw
 */
export async function afterCommit(db: Kysely<Tables>, action: () => void): Promise<void> {
  if (!db.isTransaction) return action()
  await db.getExecutor().provideConnection(async (connection: Connection) => {
    if (!connection[ACTIONS])
      throw new Error('this transaction takes no actions for the time after its commit')
    connection[ACTIONS].push(action)
  })
}
