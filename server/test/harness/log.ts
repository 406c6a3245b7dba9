/** Silent, unless GANGWAY_TEST_LOG names a level. */
import { pino } from 'pino'

export const testLog = pino({ level: process.env.GANGWAY_TEST_LOG ?? 'silent' })
