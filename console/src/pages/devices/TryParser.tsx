import { Button, Select, TextInput } from '@mantine/core'
import type { Answer, Body } from '@gangway/client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { useForm } from '../../parts/form/use-form.ts'
import { Refusal } from '../../parts/Refusal.tsx'
import { Notice } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { ValueText } from '../../parts/Value.tsx'
import { useWords } from '../../words/words.tsx'
import type { Device } from './connection.ts'
import styles from './Devices.module.css'

const route = '/v1/providers/{providerId}/clients/{clientId}/dead-letters/{deadLetterId}/try'
type TryBody = Body<'post', typeof route>
type Result = Answer<'post', typeof route>

const parsers: TryBody['parser'][] = [
  'json',
  'senml',
  'structured-metrics',
  'influx-line',
  'jmespath',
  'obis',
  'cbor',
]

interface Values {
  parser: TryBody['parser']
  expression: string
  precision: 'ns' | 'us' | 'ms' | 's'
  timeZone: string
}

interface Props {
  device: Device
  path: { providerId: string; clientId: string; deadLetterId: string }
}

/** Form that tries another parser on a dead letter, and can then set it as the parser of the device. */
export function TryParser({ device, path }: Props) {
  const { messages: words } = useWords('devices')
  const api = useApi()
  const [tried, setTried] = useState<{ body: TryBody; result: Result } | null>(null)
  const form = useForm<Values>({
    initial: {
      parser: parsers.find((name) => name !== usedParser(device))!,
      expression: '',
      precision: 'ns',
      timeZone: '',
    },
    validate: ({ parser, expression }) => ({
      ...(parser === 'jmespath' &&
        expression.trim() === '' && { 'options.expression': words.expressionRule }),
    }),
    submit: async (values) => {
      const body = writeBody(values)
      setTried({ body, result: await api.post(route, { path, body }) })
    },
  })
  const { parser } = form.values
  const change = (changes: Partial<Values>) => {
    form.change(changes)
    setTried(null)
  }
  return (
    <form onSubmit={form.onSubmit} noValidate className={styles.half}>
      <div>
        <h3 className={styles.subtitle}>{words.tryTitle}</h3>
        <p className={styles.note}>{words.tryText}</p>
      </div>
      <Select
        label={words.parser}
        data={parsers}
        value={parser}
        onChange={(chosen) => change({ parser: chosen as Values['parser'] })}
      />
      {parser === 'jmespath' && (
        <TextInput
          label={words.expression}
          spellCheck={false}
          autoComplete="off"
          value={form.values.expression}
          onChange={(event) => change({ expression: event.currentTarget.value })}
          error={form.problem('options.expression')}
        />
      )}
      {parser === 'influx-line' && (
        <Select
          label={words.precision}
          data={['ns', 'us', 'ms', 's']}
          value={form.values.precision}
          onChange={(precision) => change({ precision: precision as Values['precision'] })}
        />
      )}
      {parser === 'obis' && (
        <TextInput
          label={words.timeZone}
          placeholder="Europe/Amsterdam"
          value={form.values.timeZone}
          onChange={(event) => change({ timeZone: event.currentTarget.value })}
          error={form.problem('options.timeZone')}
        />
      )}
      {form.failure !== null && <Refusal error={form.failure} />}
      <div>
        <Button type="submit" variant="filled" loading={form.isSubmitting}>
          {words.try}
        </Button>
      </div>
      <div aria-live="polite" className={styles.half}>
        {tried !== null && <Tried device={device} {...tried} />}
      </div>
    </form>
  )
}

/** Present parser of the device. If it has none of its own, `json` is assumed, since that of the provider is not known here. */
function usedParser({ providerData }: Device): string {
  const parser = providerData?.parser as { name?: string } | null | undefined
  return parser?.name ?? 'json'
}

function writeBody({ parser, expression, precision, timeZone }: Values): TryBody {
  const options = {
    ...(parser === 'jmespath' && { expression: expression.trim() }),
    ...(parser === 'influx-line' && { precision }),
    ...(parser === 'obis' && timeZone !== '' && { timeZone }),
  }
  return (Object.keys(options).length === 0 ? { parser } : { parser, options }) as TryBody
}

function Tried({ device, body, result }: { device: Device; body: TryBody; result: Result }) {
  const { messages: words } = useWords('devices')
  const format = useFormat()
  const { samples, deadLetter } = result
  if (deadLetter !== null)
    return (
      <>
        <StateMark state="bad">{words.unreadable}</StateMark>
        <p>
          <bdi>{deadLetter.message}</bdi> <code>{deadLetter.reason}</code>
        </p>
      </>
    )
  if (samples.length === 0) return <Notice kind="info">{words.nothing}</Notice>
  return (
    <>
      <StateMark state="good">{words.stored(samples.length)}</StateMark>
      <div className={styles.frame}>
        <table className={styles.twin}>
          <thead>
            <tr>
              <th scope="col">{words.signal}</th>
              <th scope="col">{words.value}</th>
              <th scope="col">{words.time}</th>
            </tr>
          </thead>
          <tbody>
            {samples.slice(0, 100).map(({ name, value, timestamp, unit }, index) => (
              <tr key={index}>
                <td>
                  <bdi>{name}</bdi>
                </td>
                <td>
                  <ValueText value={value} /> {unit}
                </td>
                <td>{format.full(timestamp)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <UseParser device={device} body={body} />
    </>
  )
}

function UseParser({ device, body }: { device: Device; body: TryBody }) {
  const { messages: words } = useWords('devices')
  const api = useApi()
  const cache = useQueryClient()
  const [state, setState] = useState<'idle' | 'running' | 'done'>('idle')
  const [failure, setFailure] = useState<unknown>(null)
  const use = async () => {
    setState('running')
    setFailure(null)
    try {
      const parser = { name: body.parser, ...(body.options && { options: body.options }) }
      const changed = await api.patch('/v1/providers/{providerId}/clients/{clientId}', {
        path: { providerId: device.providerId, clientId: device.id },
        body: { providerData: { parser } },
      })
      cache.setQueryData(['device', device.providerId, device.id], changed)
      setState('done')
    } catch (error) {
      setFailure(error)
      setState('idle')
    }
  }
  if (state === 'done') return <Notice kind="info">{words.used(body.parser)}</Notice>
  return (
    <>
      <p className={styles.note}>{words.useText}</p>
      {failure !== null && <Refusal error={failure} />}
      <div>
        <Button loading={state === 'running'} onClick={() => void use()}>
          {words.use(body.parser)}
        </Button>
      </div>
    </>
  )
}
