import { Button, Select } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { useForm } from '../../parts/form/use-form.ts'
import { Refusal } from '../../parts/Refusal.tsx'
import { localText, readSchema } from '../../parts/schema/schema.ts'
import { emptyDraft, findDraftProblems, readDraftValue, SchemaForm } from '../../parts/schema/SchemaForm.tsx'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { useDisclosure } from '@mantine/hooks'
import { useLanguage, useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { writeUnit } from '../explore/use-units.ts'
import styles from './Assets.module.css'
import type { Asset, Content } from './contents.ts'

const route = '/v1/assets/{assetId}/commands/{commandName}'
const waits = ['0', '60', '3600', '86400', '604800'] as const

interface Props {
  asset: Asset
  content: Content
  onSent: () => void
}

/** Form for the payload of a command, by its data type, and for the time that it may wait for the device. */
export function CommandForm({ asset, content, onSent }: Props) {
  const { commands: words } = useWords('assets')
  const language = useLanguage()
  const api = useApi()
  const cache = useQueryClient()
  const request = content.request ?? null
  const schema = useMemo(() => (request === null ? null : readSchema(request.schema)), [request])
  const allowed = useExplainedPermission({
    resourceType: 'asset',
    resourceId: asset.id,
    permission: 'manage',
  })
  const [isWhy, why] = useDisclosure()
  const form = useForm({
    draft: `command-${asset.id}-${content.componentId}-${content.name}`,
    initial: { payload: emptyDraft, wait: '0' },
    validate: ({ payload }) => {
      if (schema === null) return {}
      if (Object.keys(findDraftProblems(schema, payload)).length > 0) return { payload: words.incomplete }
      const isMissing = readDraftValue(payload).value === undefined && request?.nullable !== true
      return isMissing ? { payload: words.payloadNeeded } : {}
    },
    submit: async (values) => {
      await api.post(route, { ...writeRequest(asset, content, values), signal: withTimeout() })
      onSent()
      await cache.invalidateQueries({ queryKey: ['commands', asset.id] })
    },
  })
  const { payload, wait } = form.values
  const isForbidden = allowed.data?.result === false
  const label = request === null ? '' : (localText(request.displayName, language) ?? request.name)
  const description = localText(content.description, language)
  return (
    <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={content.name}>
      {description !== undefined && (
        <p className={styles.note}>
          <bdi>{description}</bdi>
        </p>
      )}
      {schema === null ? (
        <p className={styles.note}>{words.noPayload}</p>
      ) : (
        <SchemaForm
          label={label}
          schema={schema}
          unit={request?.unit ? writeUnit(request.unit) : null}
          draft={payload}
          onChange={(next) => form.change({ payload: next })}
        />
      )}
      {form.problem('payload') !== undefined && (
        <p role="alert" className={styles.problem}>
          {form.problem('payload')}
        </p>
      )}
      <Select
        label={words.wait}
        description={words.waitHint}
        data={waits.map((value) => ({ value, label: words.waits[value] }))}
        value={wait}
        onChange={(next) => next !== null && form.change({ wait: next })}
        error={form.problem('expiresAfterSeconds')}
      />
      {form.failure !== null && <Refusal error={form.failure} />}
      <div className={styles.bar}>
        <Button type="submit" variant="filled" loading={form.isSubmitting} disabled={isForbidden}>
          {words.send}
        </Button>
        {isForbidden && (
          <span className={styles.note}>
            {words.forbidden} <WhyButton onClick={why.open} />
          </span>
        )}
        <CodeExamples requests={[example('post', route, writeRequest(asset, content, form.values))]} />
      </div>
      <WhyPanel
        isOpen={isWhy}
        onClose={why.close}
        reason={words.forbidden}
        permission={{ resourceType: 'asset', resourceId: asset.id, permission: 'manage' }}
      />
    </form>
  )
}

function writeRequest(
  asset: Asset,
  { componentId, name, request }: Content,
  { payload, wait }: { payload: typeof emptyDraft; wait: string },
) {
  const { value } = request ? readDraftValue(payload) : {}
  return {
    path: { assetId: asset.id, commandName: name },
    body: {
      ...(value !== undefined && { payload: value }),
      ...(componentId !== null && { componentId }),
      ...(wait !== '0' && { expiresAfterSeconds: Number(wait) }),
    },
  }
}
