/** A gateway that stores nothing, with devices of its own. It has a database of its own, to be no other node of the server. */
import { cleanUp } from '@gangway/server/dist/database/clean-up.js'
import type { Bench } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import type { DeviceKey } from '../mqtt/connection.ts'
import type { UnstoredGatewayProgram } from '../programs/unstored-gateway.ts'
import { insertDevices } from './devices.ts'
import { SERVER_FLAGS } from './server.ts'
import { startPlatform } from './start.ts'

export interface UnstoredGateway extends AsyncDisposable {
  mqttPort: number
  devices: DeviceKey[]
}

export async function startUnstoredGateway(
  bench: Pick<Bench, 'profileDir'>,
  deviceCount: number,
): Promise<UnstoredGateway> {
  await using started = cleanUp()
  const platform = started.use(await startPlatform(bench))
  const devices = await insertDevices(platform, deviceCount)
  await platform.server().stop()
  const program = started.use(await startProgram<UnstoredGatewayProgram>('unstored-gateway', SERVER_FLAGS))
  const mqttPort = await program.call('start', await platform.makeVariables('unstored'))
  return { mqttPort, devices, ...started.keep() }
}
