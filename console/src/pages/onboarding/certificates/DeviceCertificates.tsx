import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Item } from '@gangway/client'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Empty } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import { usePagedList } from '../../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useFormat } from '../../../format.ts'
import { text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import type { DeviceTabProps } from '../devices/DevicePage.tsx'
import shared from '../Onboarding.module.css'
import { stateKinds } from './certificate.ts'
import { CertificatePanel } from './CertificatePanel.tsx'
import { RevokeCertificates } from './RevokeCertificates.tsx'

const route = '/api/enrollment-groups/{id}/devices/{deviceId}/certificates'
type DeviceCertificate = Item<typeof route>
const fields = { certificate: text() }
const PAGE = 100

/** The certificates of one device, newest first. */
export default function DeviceCertificates({ device, group }: DeviceTabProps) {
  const words = useWords('certificates')
  const format = useFormat()
  const api = useApi()
  const [{ certificate }, change] = useUrlState(fields)
  const [isRevoking, revocation] = useDisclosure()
  const path = { id: group.id, deviceId: device.device_id }
  const source = usePagedList<DeviceCertificate>(['device-certificates', path], (cursor, signal) =>
    api.page(route, { path, query: { limit: PAGE, cursor }, signal: withTimeout(signal) }),
  )
  const usable = source.rows.filter(({ state }) => state !== 'revoked' && state !== 'expired')
  return (
    <div className={shared.stack}>
      {usable.length > 0 && (
        <div className={shared.line}>
          <Button color="red" variant="outline" onClick={revocation.open}>
            {words.revokeAll}
          </Button>
        </div>
      )}
      <DataTable
        name="device-certificates"
        label={words.title}
        source={source}
        rowKey={({ id }) => id}
        rowName={({ serial_number }) => serial_number}
        rowLink={({ id }) =>
          links.onboardingDevice(group.id, device.device_id, { tab: 'certificates', certificate: id })
        }
        columns={[
          {
            id: 'serial',
            title: words.serial,
            width: 'minmax(120px, 2fr)',
            render: ({ serial_number: serial }) => <code title={serial}>{serial}</code>,
          },
          {
            id: 'state',
            title: words.state,
            width: 'minmax(112px, 140px)',
            isOnPhone: true,
            render: ({ state }) => <StateMark state={stateKinds[state]}>{words.states[state]}</StateMark>,
          },
          {
            id: 'ends',
            title: words.ends,
            width: 'minmax(96px, 140px)',
            render: ({ not_after }) => format.date(not_after),
          },
          {
            id: 'tier',
            title: words.tier,
            width: 'minmax(140px, 1fr)',
            render: ({ tier }) => words.tiers[tier],
          },
          {
            id: 'issued',
            title: words.issued,
            width: 'minmax(104px, 140px)',
            render: ({ issued_at }) => <RelativeTime at={issued_at} />,
          },
        ]}
        empty={
          <Empty
            icon="onboarding"
            title={words.noneTitle}
            text={words.noneText}
            action={
              <PageAnchor link={links.group(group.id, { tab: 'certificates' })}>
                {words.groupSettings}
              </PageAnchor>
            }
          />
        }
      />
      <RevokeCertificates
        isOpen={isRevoking}
        onClose={revocation.close}
        groupId={group.id}
        deviceId={device.device_id}
        isInUse={usable.some(({ connected_at }) => connected_at !== null)}
      />
      {certificate !== '' && (
        <CertificatePanel
          certificateId={certificate}
          known={undefined}
          onClose={() => void change({ certificate: '' })}
        />
      )}
    </div>
  )
}
