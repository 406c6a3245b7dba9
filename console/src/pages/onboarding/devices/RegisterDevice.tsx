import { Checkbox, Modal, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { SaveBar } from '../../../parts/form/SaveBar.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { useWords } from '../../../words/words.tsx'
import { BodyRefusal, withoutBodyRefusal } from '../BodyRefusal.tsx'
import { isDeviceId } from '../groups/template.ts'
import styles from '../Onboarding.module.css'
import type { Group } from '../use-groups.ts'
import { provisionDevice, registerDevice } from './device.ts'

/** Registers one device and opens its page. */
export default function RegisterDevice({ group, onClose }: { group: Group; onClose: () => void }) {
  const words = useWords('onboardingDevices')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const form = useForm({
    draft: `onboarding-device-${group.id}`,
    initial: { device_id: '', isProvisioned: true },
    validate: ({ device_id: id }) => ({ ...(!isDeviceId(id.trim()) && { device_id: words.idRule }) }),
    submit: async ({ device_id, isProvisioned }) => {
      const deviceId = device_id.trim()
      await registerDevice(api, group.id, deviceId)
      void cache.invalidateQueries({ queryKey: ['onboarding-devices'] })
      void cache.invalidateQueries({ queryKey: ['readiness', group.id] })
      if (isProvisioned) await provisionDevice(api, group.id, deviceId)
      form.reset()
      onClose()
      await router.navigate(links.onboardingDevice(group.id, deviceId) as never)
    },
  })
  return (
    <Modal opened onClose={onClose} title={<bdi>{words.registerIn(group.name)}</bdi>}>
      <form onSubmit={form.onSubmit} noValidate className={styles.form} aria-label={words.register}>
        <BodyRefusal form={form} />
        <TextInput
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          label={words.id}
          description={words.idHint}
          {...form.field('device_id')}
        />
        <Checkbox
          label={words.provisionToo}
          description={words.provisionHint}
          checked={form.values.isProvisioned}
          onChange={(event) => form.change({ isProvisioned: event.currentTarget.checked })}
        />
        <SaveBar form={withoutBodyRefusal(form)} label={words.register} />
      </form>
    </Modal>
  )
}
