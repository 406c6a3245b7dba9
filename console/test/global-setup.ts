// @ts-expect-error -- plain JavaScript, shared with the start script
import { compileStale } from '../../scripts/build.mjs'

/** The server serves what is built, and programs of the wizard use the device SDK. */
export default async function setUp() {
  if (!(await compileStale('console', 'device')))
    throw new Error('The console or the device SDK does not compile; the compiler said why above.')
}
