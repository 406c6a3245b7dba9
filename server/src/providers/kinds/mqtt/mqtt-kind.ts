/** The built-in broker. Its access rule, `devices/{clientId}/#`, follows from the client's id and is stored nowhere. */
import { newKeyColumns } from '../../credentials/device-keys.ts'
import type { ProviderKind } from '../provider-kind.ts'
import { invokeMethod } from './invoke-method.ts'

export const mqttKind: ProviderKind = {
  onBroker: true,
  createClient: (ctx, { tenantId, clientId }) => newKeyColumns(ctx.sealer, tenantId, clientId),
  invokeMethod,
}
