import { Button, NumberInput, Select, TextInput } from '@mantine/core'
import { type Answer, ApiError } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { useForm } from '../../parts/form/use-form.ts'
import { JsonEditor } from '../../parts/code-editor/JsonEditor.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { Notice } from '../../parts/State.tsx'
import { useNow } from '../../parts/use-now.ts'
import { useWords } from '../../words/words.tsx'
import type { Device } from './connection.ts'
import { readJson } from './desired-problem.ts'
import styles from './Devices.module.css'
import { type Invocation, MethodAnswers } from './MethodAnswers.tsx'
import { isObject } from './twin-changes.ts'

const namePattern = /^[A-Za-z0-9._-]{1,128}$/
const SLACK_MS = 15_000
const route = '/v1/providers/{providerId}/clients/{clientId}/methods'

/** Form that calls a method of the device, and the answers to its calls. */
export default function MethodsTab({ device }: { device: Device }) {
  const { methods: words } = useWords('devices')
  const api = useApi()
  const [invocations, setInvocations] = useState<Invocation[]>([])
  const [running, setRunning] = useState<{ method: string; sinceMs: number; mostMs: number } | null>(null)
  const form = useForm({
    draft: `method-${device.providerId}-${device.id}`,
    initial: { method: '', payload: '', timeoutSeconds: 30 },
    validate: ({ method, payload, timeoutSeconds }) => ({
      ...(!namePattern.test(method) && { method: words.methodRule }),
      ...(payload.trim() !== '' && !isObject(readJson(payload)) && { payload: words.payloadRule }),
      ...(!(timeoutSeconds >= 5 && timeoutSeconds <= 300) && { timeoutSeconds: words.timeoutRule }),
    }),
    submit: async ({ method, payload, timeoutSeconds }) => {
      const sinceMs = Date.now()
      const mostMs = timeoutSeconds * 1000
      setRunning({ method, sinceMs, mostMs })
      const outcome = await api
        .post(route, {
          path: { providerId: device.providerId, clientId: device.id },
          body: { method, timeoutSeconds, ...(payload.trim() !== '' && { payload: JSON.parse(payload) }) },
          timeoutMs: mostMs + SLACK_MS,
        })
        .then((answer: Answer<'post', typeof route>) => ({ answer }))
        .catch((error: unknown) => ({ error }))
      setRunning(null)
      const isOfFields =
        'error' in outcome && outcome.error instanceof ApiError && outcome.error.issues.length > 0
      if (isOfFields) throw outcome.error
      const invocation = { method, atMs: sinceMs, durationMs: Date.now() - sinceMs, mostMs, ...outcome }
      setInvocations((present) => [invocation, ...present])
    },
  })
  return (
    <div className={styles.halves}>
      <form onSubmit={form.onSubmit} noValidate className={styles.half}>
        <h2 className={styles.subtitle}>{words.title}</h2>
        <p className={styles.note}>{words.text}</p>
        {!device.connection.connected && <Notice kind="warning">{words.offlineNow}</Notice>}
        <Templates
          onChoose={({ method, payload, timeoutSeconds }) =>
            form.change({
              method,
              payload: payload === null ? '' : JSON.stringify(payload, null, 2),
              timeoutSeconds: timeoutSeconds ?? 30,
            })
          }
        />
        <TextInput
          label={words.method}
          description={words.methodHint}
          autoComplete="off"
          spellCheck={false}
          {...form.field('method')}
        />
        <div>
          <p className={styles.label}>{words.payload}</p>
          <div className={styles.editor}>
            <JsonEditor
              label={words.payload}
              value={form.values.payload}
              onChange={(payload) => form.change({ payload })}
            />
          </div>
          {form.problem('payload') === undefined ? (
            <p className={styles.note}>{words.payloadHint}</p>
          ) : (
            <p role="alert" className={styles.problem}>
              {form.problem('payload')}
            </p>
          )}
        </div>
        <NumberInput
          label={words.timeout}
          description={words.timeoutHint}
          min={5}
          max={300}
          clampBehavior="none"
          value={form.values.timeoutSeconds}
          onChange={(timeoutSeconds) => form.change({ timeoutSeconds: Number(timeoutSeconds) })}
          error={form.problem('timeoutSeconds')}
        />
        {form.failure !== null && <Refusal error={form.failure} />}
        <div>
          <Button type="submit" variant="filled" loading={running !== null}>
            {words.invoke}
          </Button>
        </div>
      </form>
      <section className={styles.half} aria-label={words.answers}>
        <h2 className={styles.subtitle}>{words.answers}</h2>
        {running !== null && <Waiting {...running} />}
        <MethodAnswers invocations={invocations} isWaiting={running !== null} />
      </section>
    </div>
  )
}

function Waiting({ method, sinceMs, mostMs }: { method: string; sinceMs: number; mostMs: number }) {
  const { methods: words } = useWords('devices')
  const format = useFormat()
  const now = useNow(1000)
  const waited = Math.max(0, Math.floor((now - sinceMs) / 1000) * 1000)
  return (
    <p className={styles.note}>
      {words.waiting(method, format.duration(Math.min(waited, mostMs)), format.duration(mostMs))}
    </p>
  )
}

type Template = {
  id: string
  displayName: string
  method: string
  payload: unknown
  timeoutSeconds: number | null
}

/** Select field of method templates; hidden if there are none. */
function Templates({ onChoose }: { onChoose: (template: Template) => void }) {
  const { methods: words } = useWords('devices')
  const api = useApi()
  const [chosen, setChosen] = useState('')
  const templates = useQuery({
    queryKey: ['method-templates'],
    queryFn: ({ signal }) => api.get('/v1/method-templates', { query: { limit: 100 }, signal }),
    staleTime: 300_000,
    retry: false,
  })
  if (!templates.data?.length) return null
  return (
    <Select
      label={words.template}
      searchable
      data={[
        { value: '', label: words.noTemplate },
        ...templates.data.map(({ id, displayName }) => ({ value: id, label: displayName })),
      ]}
      value={chosen}
      onChange={(id) => {
        setChosen(id ?? '')
        const template = templates.data.find((one) => one.id === id)
        if (template !== undefined) onChoose(template)
      }}
    />
  )
}
