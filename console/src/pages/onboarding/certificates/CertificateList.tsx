import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { Empty } from '../../../parts/State.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import type { RowSource } from '../../../parts/table/types.ts'
import { shownRows, usePagedList } from '../../../parts/table/use-paged-list.ts'
import { choice, text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { type Certificate, certificateStates, loadEnding, readSpan } from './certificate.ts'
import { CertificatePanel } from './CertificatePanel.tsx'
import styles from './Certificates.module.css'
import { Forecast } from './Forecast.tsx'
import { useCertificateColumns } from './use-certificate-columns.tsx'

const fields = {
  state: choice(['', ...certificateStates]),
  ends: text(),
  device: text(),
  certificate: text(),
}
const spans = ['7d', '30d', '90d'] as const
const PAGE = 100

export default function CertificateList() {
  const words = useWords('certificates')
  const format = useFormat()
  const [state, change] = useUrlState(fields)
  const { source, isCut } = useCertificates(state)
  const isWeek = state.ends.length === 10
  const day = new Intl.DateTimeFormat(format.locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const endOptions = [
    ...spans.map((value) => ({ value: value as string, label: words.spans[value] })),
    ...(isWeek && readSpan(state.ends, 0) !== null
      ? [{ value: state.ends, label: words.weekFrom(day.format(new Date(state.ends))) }]
      : []),
  ]
  const keep = Object.fromEntries(
    Object.entries({ state: state.state, ends: state.ends, device: state.device }).filter(
      ([, value]) => value !== '',
    ),
  )
  return (
    <div className={styles.page}>
      <Forecast chosen={state.ends} />
      <DataTable
        name="certificates"
        label={words.title}
        source={source}
        columns={useCertificateColumns()}
        rowKey={({ id }) => id}
        rowName={({ deviceId, serialNumber }) => `${deviceId} ${serialNumber}`}
        rowLink={({ id }) => links.certificates({ ...keep, certificate: id })}
        partial={isCut ? words.cut : undefined}
        // A list by expiry has no search and no filter by state: it has only certificates that are valid and not
        // revoked.
        search={
          state.ends === ''
            ? { value: state.device, onChange: (device) => void change({ device }), label: words.search }
            : undefined
        }
        filters={[
          {
            id: 'ends',
            label: words.ends,
            options: endOptions,
            value: state.ends,
            onChange: (ends) => void change({ ends, state: '', device: '' }),
          },
          {
            id: 'state',
            label: words.state,
            options: certificateStates.map((value) => ({ value, label: words.states[value] })),
            value: state.state,
            onChange: (next) => void change({ state: next as typeof state.state, ends: '' }),
          },
        ]}
        empty={
          <Empty
            icon="onboarding"
            title={words.emptyTitle}
            text={words.emptyText}
            action={
              <Button
                variant="filled"
                renderRoot={(props) => <Link {...props} {...(links.groups() as { to: string })} />}
              >
                {words.chooseGroup}
              </Button>
            }
          />
        }
      />
      {state.certificate !== '' && (
        <CertificatePanel
          certificateId={state.certificate}
          known={source.rows.find(({ id }) => id === state.certificate)}
          onClose={() => void change({ certificate: '' })}
        />
      )}
    </div>
  )
}

interface Asked {
  state: Certificate['state'] | ''
  ends: string
  device: string
}

function useCertificates(asked: Asked): { source: RowSource<Certificate>; isCut: boolean } {
  const api = useApi()
  const [openedMs] = useState(Date.now)
  const span = useMemo(() => readSpan(asked.ends, openedMs), [asked.ends, openedMs])
  const query = { limit: PAGE, state: asked.state || undefined, deviceId: asked.device || undefined }
  const all = usePagedList<Certificate>(
    ['certificates', query],
    (cursor, signal) =>
      api.page('/v1/certificates', { query: { ...query, cursor }, signal: withTimeout(signal) }),
    { isEnabled: span === null },
  )
  const ending = useQuery({
    queryKey: ['certificates', 'ending', span],
    queryFn: ({ signal }) => loadEnding(api, span!, signal),
    enabled: span !== null,
  })
  if (span === null) return { source: all, isCut: false }
  return {
    source: {
      ...shownRows(ending.data?.items ?? [], { isLoading: ending.isPending }),
      error: ending.error,
      refresh: () => void ending.refetch(),
    },
    isCut: ending.data?.isCut ?? false,
  }
}
