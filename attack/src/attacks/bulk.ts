import type { Attack } from '../attack.ts'
import { countedText, repeated } from '../many.ts'

export const bulk: Attack = {
  name: 'bulk',
  about: 'bulk requests of 10,000 lines, each wrong in another way',
  async run({ attacker }) {
    const target = await attacker.make('POST', '/api/routing-targets', {
      name: 'nowhere',
      brokers: [{ host: 'localhost', port: 1883 }],
      provider_base_url: 'http://127.0.0.1:9/none',
      provider_api_key: 'none',
      webhook_secret: 'none of your business',
    })
    const group = await attacker.make('POST', '/api/enrollment-groups', {
      name: 'bulk',
      auth_method: 'shared_key',
      routing_target_id: target.id,
      status: 'enabled',
      response_template: { id: '{{device.id}}' },
    })
    const bad = [
      '{',
      '{"device_id": 5}',
      `{"device_id": "${'x'.repeat(80)} "}`,
      '[[[[[[]]]]]]',
      '{"device_id": "\\ud800"}',
    ]
    const lines = Array.from({ length: 10_000 }, (_, index) => bad[index % bad.length]).join('\n')
    const outcomes = await repeated(4, async () => {
      const { status, body } = await attacker.request(
        'POST',
        `/api/enrollment-groups/${group.id}/devices/bulk`,
        lines,
      )
      return `${status} with ${body.errors?.length ?? 0} errors`
    })
    return countedText(outcomes)
  },
}
