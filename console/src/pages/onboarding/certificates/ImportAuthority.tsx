import { Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { FormDialog } from '../../../parts/form/FormDialog.tsx'
import { SaveBar } from '../../../parts/form/SaveBar.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import shared from '../Onboarding.module.css'

/** Imports an external issuing authority. The browser does not store its private key. */
export default function ImportAuthority({ onClose }: { onClose: () => void }) {
  const { authorities: words } = useWords('certificates')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const form = useForm({
    initial: { certificates: '', privateKey: '' },
    validate: ({ certificates, privateKey }) => ({
      ...(certificates.trim() === '' && { certificates: common.required }),
      ...(privateKey.trim() === '' && { privateKey: common.required }),
    }),
    submit: async (body) => {
      await api.post('/v1/certificate-authorities/import', { body, signal: withTimeout() })
      await cache.invalidateQueries({ queryKey: ['authorities'] })
      form.reset()
      onClose()
    },
  })
  return (
    <FormDialog form={form} onClose={onClose} size="lg" title={words.import}>
      <form onSubmit={form.onSubmit} noValidate className={shared.form} aria-label={words.import}>
        <p className={shared.note}>{words.importText}</p>
        <Textarea
          label={words.certificates}
          description={words.certificatesHint}
          autosize
          minRows={4}
          maxRows={10}
          spellCheck={false}
          {...form.field('certificates')}
        />
        <Textarea
          label={words.privateKey}
          description={words.privateKeyHint}
          autosize
          minRows={3}
          maxRows={6}
          spellCheck={false}
          autoComplete="off"
          {...form.field('privateKey')}
        />
        <SaveBar form={form} label={words.import} />
      </form>
    </FormDialog>
  )
}
