/** Provider type for the built-in broker. A client may use the topics `devices/{clientId}/#`. */
import { newKeyColumns } from '../../credentials/device-keys.ts'
import type { ProviderKind } from '../provider-kind.ts'
import { invokeMethod } from './invoke-method.ts'

export const mqttKind: ProviderKind = {
  onBroker: true,
  createClient: (ctx, { tenantId, clientId }) => newKeyColumns(ctx.sealer, tenantId, clientId),
  invokeMethod,
}
