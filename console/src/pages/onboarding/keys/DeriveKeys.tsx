import { Button, FileButton, Textarea } from '@mantine/core'
import type { Schemas } from '@gangway/client'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { download, writeCsv } from '../../../parts/download.ts'
import { Id } from '../../../parts/Id.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Facts } from '../../../parts/why/WhyPanel.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import shared from '../Onboarding.module.css'
import { readDeviceIds } from '../read-device-ids.ts'
import type { Group } from '../use-groups.ts'

type DerivedKey = Schemas['DerivedKey']
const MOST = 10_000
const TIMEOUT_MS = 120_000
/** Shown keys are hidden after this time. */
const SHOWN_MS = 60_000

/** Derives the keys that the factory stores on devices, for one device or a list. They are kept in this page only. */
export function DeriveKeys({ group }: { group: Group }) {
  const words = useWords('keys')
  const format = useFormat()
  const api = useApi()
  const [text, setText] = useState('')
  const { devices, repeated, wrong } = readDeviceIds(text)
  const derive = useMutation({
    mutationFn: async () => {
      const { items } = await api.post('/api/enrollment-groups/{id}/keys/derive', {
        path: { id: group.id },
        body: { device_ids: devices.map(({ deviceId }) => deviceId) },
        signal: withTimeout(undefined, TIMEOUT_MS),
      })
      return items
    },
    gcTime: 0,
  })
  const change = (next: string) => {
    setText(next)
    derive.reset()
  }
  const problem =
    wrong.length > 0
      ? words.wrongLine(format.number(wrong[0]!.line), wrong[0]!.deviceId.slice(0, 40))
      : devices.length > MOST
        ? words.tooMany(format.number(devices.length))
        : undefined
  return (
    <section className={shared.stack} aria-label={words.deriveTitle}>
      <h2 className={shared.subtitle}>{words.deriveTitle}</h2>
      <p className={shared.note}>{words.deriveText}</p>
      <Textarea
        label={words.ids}
        description={words.idsHint}
        // A fixed height avoids measuring ten thousand lines at each change.
        rows={4}
        resize="vertical"
        spellCheck={false}
        value={text}
        error={problem}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <div className={shared.line}>
        <Button
          variant="filled"
          disabled={devices.length === 0 || problem !== undefined}
          loading={derive.isPending}
          onClick={() => derive.mutate()}
        >
          {devices.length === 0
            ? words.derive
            : words.deriveCount(devices.length, format.number(devices.length))}
        </Button>
        <FileButton
          accept=".csv,.txt,.json,.ndjson,text/csv,text/plain,application/json"
          onChange={(file) => void file?.text().then(change)}
        >
          {(props) => <Button {...props}>{words.fromFile}</Button>}
        </FileButton>
        {repeated > 0 && <span className={shared.note}>{words.repeated(format.number(repeated))}</span>}
      </div>
      {derive.error !== null && <Refusal error={derive.error} />}
      {derive.data !== undefined && (
        <Derived items={derive.data} groupName={group.name} onEnd={derive.reset} />
      )}
    </section>
  )
}

interface DerivedProps {
  items: DerivedKey[]
  groupName: string
  onEnd: () => void
}

function Derived({ items, groupName, onEnd }: DerivedProps) {
  const words = useWords('keys')
  const format = useFormat()
  const [only] = items
  const isOne = items.length === 1
  useEffect(() => {
    if (!isOne) return
    const timer = setTimeout(onEnd, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isOne])
  const name = `keys-${groupName.replaceAll(/[^\w-]+/g, '-').slice(0, 60)}`
  const saveCsv = () => {
    const rows = items.map(({ device_id, primary_key, secondary_key }) => [
      device_id,
      primary_key,
      secondary_key,
    ])
    download([writeCsv([['device_id', 'primary_key', 'secondary_key'], ...rows])], `${name}.csv`)
  }
  const saveLines = () =>
    download([items.map((item) => `${JSON.stringify(item)}\n`).join('')], `${name}.ndjson`)
  return (
    <div className={shared.stack} role="status">
      {isOne && (
        <Facts
          entries={[
            [words.device, <bdi key="device">{only!.device_id}</bdi>],
            [words.slots.primary, <Id key="primary" value={only!.primary_key} name={words.slots.primary} />],
            ...(only!.secondary_key === null
              ? []
              : ([
                  [
                    words.slots.secondary,
                    <Id key="secondary" value={only!.secondary_key} name={words.slots.secondary} />,
                  ],
                ] as [string, React.ReactNode][])),
          ]}
        />
      )}
      <p>{isOne ? words.hidesAgain : words.derived(format.number(items.length))}</p>
      <div className={shared.line}>
        <Button onClick={saveCsv}>{words.saveCsv}</Button>
        <Button onClick={saveLines}>{words.saveLines}</Button>
      </div>
    </div>
  )
}
