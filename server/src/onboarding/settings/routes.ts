import type { Context } from '../../context.ts'
import { bootstrapKey } from '../../http/access.ts'
import { answer, route, type Route } from '../../http/route.ts'
import { FreeObject } from '../../http/shapes.ts'
import { endWithError } from '../trace/end-with-error.ts'
import { createSettingsRenderer } from './render-settings.ts'
import type { AuthenticatedDevice } from './authenticate-device.ts'
import { logRefusal } from './log-refusal.ts'

export function settingsRoutes(ctx: Context): Route[] {
  const renderSettings = createSettingsRenderer(ctx)
  return [
    route({
      method: 'GET',
      url: '/get_settings',
      operationId: 'getSettings',
      summary: "Get a device's connection settings: the rendered response template of its group",
      access: bootstrapKey<AuthenticatedDevice>(),
      secret: true,
      response: { 200: FreeObject },
      refuses: [409, 422, 429],
      handler: async ({ caller, request }) => {
        try {
          const { text, staleSeconds } = await renderSettings(caller)
          caller.trail.end('succeeded', 'settings_sent')
          return answer(200, text, {
            'content-type': 'application/json; charset=utf-8',
            ...(staleSeconds !== undefined && { 'x-settings-stale': String(staleSeconds) }),
          })
        } catch (error) {
          endWithError(caller.trail, error)
          const from = { device: caller.deviceId, remoteAddress: request.ip, reqId: request.id }
          logRefusal(ctx.warnOfDevice, from, error)
          throw error
        }
      },
    }),
  ]
}
