import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { lazyPart } from '../../../load-part.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { listExample } from '../../../parts/code/example.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { PartBoundary } from '../../../parts/PartBoundary.tsx'
import { ListPage } from '../../../parts/layout/ListPage.tsx'
import { Empty, Failed, Loading } from '../../../parts/State.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import { usePagedList } from '../../../parts/table/use-paged-list.ts'
import { choice, text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { NoGroup } from '../GroupChoice.tsx'
import { SectionNav } from '../Section.tsx'
import { useChosenGroup } from '../use-chosen-group.ts'
import type { Group } from '../use-groups.ts'
import type { BulkKind } from './BulkRun.tsx'
import { keyLists, loadDevices, type OnboardingDevice } from './device.ts'
import { useDeviceColumns } from './use-device-columns.tsx'

const BulkRun = lazyPart(() => import('./BulkRun.tsx'))
const RegisterDevice = lazyPart(() => import('./RegisterDevice.tsx'))

const fields = { group: text(), search: text(), key: choice(['', ...keyLists]) }

/** The devices of a group with their onboarding states. */
export default function OnboardingDevices() {
  const words = useWords('onboardingDevices')
  const [{ group: asked }] = useUrlState(fields)
  const chosen = useChosenGroup(asked)
  const { group, groups, error, retry } = chosen
  return (
    <>
      <SectionNav groupId={group?.id} />
      {group !== undefined ? (
        <DevicesOfGroup group={group} groups={groups ?? []} />
      ) : (
        <ListPage title={words.title} text={words.what}>
          {error !== null && <Failed error={error} onRetry={retry} />}
          {error === null && (groups?.length === 0 ? <NoGroup /> : <Loading />)}
        </ListPage>
      )}
    </>
  )
}

function DevicesOfGroup({ group, groups }: { group: Group; groups: Group[] }) {
  const words = useWords('onboardingDevices')
  const shared = useWords('onboarding')
  const api = useApi()
  const [state, change] = useUrlState(fields)
  const [isRegistering, registration] = useDisclosure()
  const [bulk, setBulk] = useState<{ kind: BulkKind; rows: OnboardingDevice[] } | null>(null)
  const place = { groupId: group.id, key: state.key, search: state.search }
  const source = usePagedList<OnboardingDevice>(['onboarding-devices', place], (cursor, signal) =>
    loadDevices(api, place, cursor, signal),
  )
  const actions = (
    <>
      <Button
        renderRoot={(props) => (
          <Link {...props} {...(links.importDevices({ group: group.id }) as { to: string })} />
        )}
      >
        {words.import}
      </Button>
      <Button variant="filled" leftSection={<Icon name="plus" />} onClick={registration.open}>
        {words.register}
      </Button>
    </>
  )
  const groupOptions = groups.some(({ id }) => id === group.id) ? groups : [group, ...groups]
  return (
    <ListPage
      title={words.title}
      text={source.rows.length === 0 ? words.what : undefined}
      actions={
        <>
          <CodeExamples
            requests={[
              listExample('/api/enrollment-groups/{id}/devices', {
                path: { id: group.id },
                query: { limit: 100, search: state.search || undefined },
              }),
            ]}
          />
          {actions}
        </>
      }
    >
      <DataTable
        name="onboarding-devices"
        label={words.title}
        source={source}
        columns={useDeviceColumns()}
        rowKey={({ device_id }) => device_id}
        rowName={({ device_id }) => device_id}
        rowLink={({ device_id }) => links.onboardingDevice(group.id, device_id)}
        // Lists by key have no search.
        search={
          state.key === ''
            ? { value: state.search, onChange: (search) => void change({ search }), label: words.search }
            : undefined
        }
        filters={[
          {
            id: 'group',
            label: shared.group,
            options: groupOptions.map(({ id, name }) => ({ value: id, label: name })),
            value: group.id,
            isRequired: true,
            onChange: (next) => void change({ group: next }),
          },
          {
            id: 'key',
            label: words.key,
            options: keyLists.map((value) => ({ value, label: words.keyLists[value] })),
            value: state.key,
            onChange: (key) => void change({ key: key as typeof state.key, search: '' }),
          },
        ]}
        bulk={[
          { label: words.bulk.provision.action, onRun: (rows) => setBulk({ kind: 'provision', rows }) },
          {
            label: words.bulk.remove.action,
            onRun: (rows) => setBulk({ kind: 'remove', rows }),
            isDangerous: true,
          },
        ]}
        empty={<Empty icon="devices" title={words.emptyTitle} text={words.emptyText} action={actions} />}
      />
      <PartBoundary>
        {isRegistering && <RegisterDevice group={group} onClose={registration.close} />}
        {bulk !== null && <BulkRun group={group} {...bulk} onClose={() => setBulk(null)} />}
      </PartBoundary>
    </ListPage>
  )
}
