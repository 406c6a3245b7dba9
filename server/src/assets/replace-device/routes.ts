/** The route that replaces a device of an asset by another one. */
import { permission } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import type { CommandContext } from '../commands/queue.ts'
import { AssetPath } from '../commands/schema.ts'
import { replaceDevice } from './replace-device.ts'
import { DeviceReplacement, ReplaceDevice } from './schema.ts'

export const replaceDeviceRoutes = (ctx: CommandContext): Route[] => [
  route({
    method: 'POST',
    url: '/v1/assets/{assetId}/replace-device',
    operationId: 'replaceDevice',
    summary: 'Move all bindings from and to one provider client to another; needs `manage` on each asset',
    access: permission('manage', 'asset', (p) => p.assetId!),
    params: AssetPath,
    body: ReplaceDevice,
    response: { 200: DeviceReplacement },
    handler: ({ params, body, caller }) => replaceDevice(ctx, caller, params.assetId, body),
  }),
]
