// @ts-expect-error -- plain JavaScript, shared with the start script
import { compileStale } from '../../scripts/build.mjs'

/** The server serves what is built. */
export default async function setUp() {
  if (!(await compileStale('console')))
    throw new Error('The console does not compile; the compiler said why above.')
}
