import { Button, Checkbox, Modal, Radio, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { CodeBlock } from '../../parts/code/CodeBlock.tsx'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { Notice } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { type Privilege, privileges } from '../access/privileges.ts'
import { withTimeout } from '../devices/timeout.ts'
import styles from '../people/People.module.css'
import { endOf, LifetimeSelect } from './LifetimeSelect.tsx'

/** Dialog that makes a token, and shows it once. */
export default function CreateToken({ onClose }: { onClose: () => void }) {
  const { create: words } = useWords('apiTokens')
  const [token, setToken] = useState<string | null>(null)
  return (
    <Modal
      opened
      onClose={onClose}
      title={token === null ? words.title : words.madeTitle}
      // The token would be lost by a stray click or key.
      closeOnClickOutside={token === null}
      closeOnEscape={token === null}
    >
      {token === null ? <TokenForm onMade={setToken} /> : <Made token={token} onClose={onClose} />}
    </Modal>
  )
}

function TokenForm({ onMade }: { onMade: (token: string) => void }) {
  const { create: words, name } = useWords('apiTokens')
  const access = useWords('access')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const form = useForm({
    draft: 'api-token',
    initial: { displayName: '', limited: 'yes', privileges: ['data_view'] as Privilege[], days: '90' },
    validate: ({ displayName, limited, privileges: chosen }) => ({
      ...(displayName.trim() === '' && { displayName: common.required }),
      ...(limited === 'yes' && chosen.length === 0 && { privileges: words.chooseOne }),
    }),
    submit: async ({ displayName, limited, privileges: chosen, days }) => {
      const made = await api.post('/v1/api-tokens', {
        body: {
          displayName: displayName.trim(),
          ...(limited === 'yes' && { privileges: chosen }),
          expiresAt: endOf(days),
        },
        signal: withTimeout(),
      })
      void cache.invalidateQueries({ queryKey: ['api-tokens'] })
      form.reset()
      onMade(made.token)
    },
  })
  const { values, change } = form
  return (
    <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={words.title}>
      <TextInput
        data-autofocus
        autoComplete="off"
        label={name}
        description={words.nameHint}
        {...form.field('displayName')}
      />
      <Radio.Group label={words.limits} value={values.limited} onChange={(limited) => change({ limited })}>
        <div className={styles.fields}>
          <Radio value="yes" label={words.limited} />
          <Radio value="no" label={words.unlimited} description={words.unlimitedHint} />
        </div>
      </Radio.Group>
      {values.limited === 'yes' && (
        <Checkbox.Group
          label={words.privileges}
          description={words.privilegesHint}
          value={values.privileges}
          onChange={(chosen) => change({ privileges: chosen as Privilege[] })}
          error={form.problem('privileges')}
        >
          <div className={styles.choices}>
            {privileges.map((privilege) => (
              <Checkbox key={privilege} value={privilege} label={access.privileges[privilege]} />
            ))}
          </div>
        </Checkbox.Group>
      )}
      <LifetimeSelect
        mayBeEndless
        days={values.days}
        onChange={(days) => change({ days })}
        error={form.problem('expiresAt')}
      />
      <SaveBar form={form} label={words.action} />
    </form>
  )
}

function Made({ token, onClose }: { token: string; onClose: () => void }) {
  const { create: words } = useWords('apiTokens')
  return (
    <div className={styles.fields}>
      <Notice kind="warning">{words.once}</Notice>
      <CodeBlock code={token} name={words.token} />
      <div className={styles.dialogActions}>
        <Button variant="filled" onClick={onClose}>
          {words.kept}
        </Button>
      </div>
    </div>
  )
}
