/** Renders a response template for a device, before the template is saved. [docs/onboarding#preview] */
import Type from 'typebox'
import type { Context } from '../../context.ts'
import { privilegeInRoot } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { DeviceId, FreeObject, Nullable, Uuid } from '../../http/shapes.ts'
import { compileTemplate, findTemplateIssues, type TemplateValues } from '../response-template.ts'
import { Broker } from '../routing-targets/schema.ts'
import { getRoutingTarget } from '../routing-targets/store.ts'
import { chooseBroker } from '../settings/choose-broker.ts'

/** Placeholders of the keys, which a preview never reads. */
const hiddenKeys = { 'device.primary_key': '<primary key>', 'device.secondary_key': '<secondary key>' }
const MAX_ISSUES = 20

const PreviewSettings = Type.Object({
  routing_target_id: Uuid,
  response_template: FreeObject,
  device_id: { ...DeviceId, description: 'A device that need not be registered' },
})

const SettingsPreview = Type.Object(
  {
    settings: {
      ...Nullable(FreeObject),
      description: 'The rendered template without keys; null if the template has issues',
    },
    broker: { ...Broker, description: 'The broker that the device gets' },
    issues: Type.Array(
      Type.Object({
        path: Type.String({ description: 'Path of the field in the request' }),
        message: Type.String(),
      }),
      {
        description: 'Why a group with this template would be refused, by the path in the request',
      },
    ),
  },
  { title: 'SettingsPreview' },
)

export const previewRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/api/enrollment-groups/preview',
    operationId: 'previewSettings',
    summary: 'Render a response template for a device, without its keys; nothing is stored',
    access: privilegeInRoot('provider_client_management'),
    readsOnly: true,
    body: PreviewSettings,
    response: { 200: SettingsPreview },
    handler: async ({ body: { routing_target_id, response_template, device_id }, caller }) => {
      const target = await getRoutingTarget(ctx.db, caller.tenantId, routing_target_id)
      const broker = chooseBroker(target.brokers, target.broker_selection, device_id)
      const issues = findTemplateIssues(response_template).slice(0, MAX_ISSUES)
      if (issues.length > 0) return { settings: null, broker, issues }
      const values: TemplateValues = {
        ...hiddenKeys,
        'device.id': device_id,
        'target.host': broker.host,
        'target.port': broker.port,
      }
      return { settings: JSON.parse(compileTemplate(response_template)(values)), broker, issues }
    },
  }),
]
