import { Autocomplete } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { CodeBlock } from '../../../parts/code/CodeBlock.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Loading, Notice } from '../../../parts/State.tsx'
import { text as textField, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import shared from '../Onboarding.module.css'
import styles from './Groups.module.css'
import { isDeviceId, parseTemplate } from './template.ts'

const fields = { device: textField('device-0001') }
const TYPING_MS = 300
const SUGGESTIONS = 20

/** The rendered settings of a device, without its keys. */
export function TemplatePreview(props: { text: string; targetId: string; groupId: string | undefined }) {
  const { preview: words } = useWords('groups')
  const [{ device }, change] = useUrlState(fields)
  const [text] = useDebouncedValue(props.text, TYPING_MS)
  const [deviceId] = useDebouncedValue(device, TYPING_MS)
  const suggestions = useDeviceIds(props.groupId, deviceId)
  const preview = usePreview(text, props.targetId, deviceId)
  const isKnown = suggestions.includes(device)
  return (
    <section className={shared.stack} aria-label={words.title}>
      <h2 className={shared.subtitle}>{words.title}</h2>
      <Autocomplete
        label={words.device}
        description={isKnown ? words.known : words.madeUp}
        spellCheck={false}
        maxLength={128}
        value={device}
        data={suggestions}
        error={isDeviceId(device) ? undefined : words.idRule}
        onChange={(next) => void change({ device: next })}
      />
      {props.targetId === '' && <Notice kind="info">{words.noTarget}</Notice>}
      {preview.error !== null && <Refusal error={preview.error} />}
      {preview.isLoading && <Loading rows={4} />}
      {preview.data?.settings != null && (
        <div className={styles.preview}>
          <CodeBlock code={JSON.stringify(preview.data.settings, null, 2)} name={words.title} />
          <p className={shared.note}>
            {words.broker}{' '}
            <code>
              <bdi>{`${preview.data.broker.host}:${preview.data.broker.port}`}</bdi>
            </code>
            . {words.keys}
          </p>
        </div>
      )}
      {preview.data !== undefined && preview.data.settings === null && (
        <>
          <p className={shared.note}>{words.notYet}</p>
          <ul className={shared.list}>
            {preview.data.issues.map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                <code>{path}</code> <bdi>{message}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

function usePreview(text: string, targetId: string, deviceId: string) {
  const api = useApi()
  const template = parseTemplate(text)
  return useQuery({
    queryKey: ['preview', targetId, text, deviceId],
    queryFn: ({ signal }) =>
      api.post('/api/enrollment-groups/preview', {
        body: { routing_target_id: targetId, response_template: template!, device_id: deviceId },
        signal: withTimeout(signal),
      }),
    enabled: template !== null && targetId !== '' && isDeviceId(deviceId),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })
}

/** Finds devices of the group whose id contains the text. */
function useDeviceIds(groupId: string | undefined, search: string): string[] {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['onboarding-device-ids', groupId, search],
    queryFn: async ({ signal }) => {
      const { items } = await api.get('/api/enrollment-groups/{id}/devices', {
        path: { id: groupId! },
        query: { limit: SUGGESTIONS, search: search.slice(0, 128) || undefined },
        signal: withTimeout(signal),
      })
      return items.map(({ device_id }) => device_id)
    },
    enabled: groupId !== undefined,
    placeholderData: keepPreviousData,
  })
  return data ?? []
}
