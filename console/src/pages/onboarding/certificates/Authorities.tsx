import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Schemas } from '@gangway/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazyPart } from '../../../load-part.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { Name } from '../../../parts/Id.tsx'
import { PartBoundary } from '../../../parts/PartBoundary.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Empty } from '../../../parts/State.tsx'
import { type StateKind, StateMark } from '../../../parts/StateMark.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import type { Column } from '../../../parts/table/types.ts'
import { usePagedList } from '../../../parts/table/use-paged-list.ts'
import { text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import shared from '../Onboarding.module.css'
import { AuthorityActions } from './AuthorityActions.tsx'

export type Authority = Schemas['CertificateAuthority']

const ImportAuthority = lazyPart(() => import('./ImportAuthority.tsx'))
const fields = { authority: text() }
const PAGE = 100
const stateKinds: Record<Authority['status'], StateKind> = { active: 'good', retired: 'off', revoked: 'bad' }

/** The authorities that issue device certificates. */
export default function Authorities() {
  const { authorities: words } = useWords('certificates')
  const api = useApi()
  const [isRotating, rotation] = useDisclosure()
  const [isImporting, importing] = useDisclosure()
  const [{ authority }, change] = useUrlState(fields)
  const source = usePagedList<Authority>(['authorities'], (cursor, signal) =>
    api.page('/v1/certificate-authorities', { query: { limit: PAGE, cursor }, signal: withTimeout(signal) }),
  )
  const shown = source.rows.find(({ id }) => id === authority)
  const isFirst = !source.rows.some(({ kind }) => kind === 'issuing')
  return (
    <div className={shared.stack}>
      {source.error === null && !source.isLoading && (
        <div className={shared.line}>
          <Button onClick={rotation.open}>{isFirst ? words.makeFirst : words.rotate}</Button>
          <Button onClick={importing.open}>{words.import}</Button>
        </div>
      )}
      <DataTable
        name="authorities"
        label={words.title}
        source={source}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={({ subject }) => subject}
        rowLink={({ id }) => links.certificates({ tab: 'authorities', authority: id })}
        empty={<Empty icon="onboarding" title={words.emptyTitle} text={words.emptyText} />}
      />
      <Rotate isOpen={isRotating} onClose={rotation.close} isFirst={isFirst} />
      {isImporting && (
        <PartBoundary>
          <ImportAuthority onClose={importing.close} />
        </PartBoundary>
      )}
      {shown !== undefined && (
        <AuthorityActions authority={shown} onClose={() => void change({ authority: '' })} />
      )}
    </div>
  )
}

function useColumns(): Column<Authority>[] {
  const { authorities: words } = useWords('certificates')
  const format = useFormat()
  return [
    {
      id: 'subject',
      title: words.subject,
      width: 'minmax(140px, 3fr)',
      render: ({ subject }) => <Name>{subject}</Name>,
    },
    {
      id: 'kind',
      title: words.kind,
      width: 'minmax(88px, 120px)',
      render: ({ kind }) => words.kinds[kind],
    },
    {
      id: 'status',
      title: words.status,
      width: 'minmax(104px, 140px)',
      isOnPhone: true,
      render: ({ status }) => <StateMark state={stateKinds[status]}>{words.states[status]}</StateMark>,
    },
    {
      id: 'origin',
      title: words.origin,
      width: 'minmax(104px, 160px)',
      render: ({ origin }) => words.origins[origin],
    },
    {
      id: 'ends',
      title: words.ends,
      width: 'minmax(96px, 140px)',
      render: ({ notAfter }) => format.date(notAfter),
    },
  ]
}

function Rotate({ isOpen, onClose, isFirst }: { isOpen: boolean; onClose: () => void; isFirst: boolean }) {
  const { authorities: words } = useWords('certificates')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const rotate = useMutation({
    mutationFn: () => api.post('/v1/certificate-authorities/rotate', { signal: withTimeout() }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: ['authorities'] })
      onClose()
    },
  })
  const action = isFirst ? words.makeFirst : words.rotate
  return (
    <Modal opened={isOpen} onClose={onClose} title={action}>
      <div className={shared.stack}>
        <p>{isFirst ? words.makeFirstText : words.rotateText}</p>
        {rotate.error !== null && <Refusal error={rotate.error} />}
        <div className={shared.line}>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button variant="filled" loading={rotate.isPending} onClick={() => rotate.mutate()}>
            {action}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
