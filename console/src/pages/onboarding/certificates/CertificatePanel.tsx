import { Button, Drawer } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { download } from '../../../parts/download.ts'
import { Id } from '../../../parts/Id.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Failed, Loading, Notice } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { Facts } from '../../../parts/why/WhyPanel.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import shared from '../Onboarding.module.css'
import { type Certificate, stateKinds } from './certificate.ts'
import { RevokeCertificates } from './RevokeCertificates.tsx'

interface Props {
  certificateId: string
  /** The certificate from the list, shown until the panel has loaded it. */
  known: Certificate | undefined
  onClose: () => void
}

/** All fields of a certificate, and its actions. */
export function CertificatePanel({ certificateId, known, onClose }: Props) {
  const words = useWords('certificates')
  const common = useWords('common')
  const api = useApi()
  const certificate = useQuery({
    queryKey: ['certificate', certificateId],
    queryFn: ({ signal }) =>
      api.get('/v1/certificates/{certificateId}', { path: { certificateId }, signal: withTimeout(signal) }),
    placeholderData: known,
  })
  return (
    <Drawer
      opened
      onClose={onClose}
      size="lg"
      title={words.panelTitle}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {certificate.data !== undefined && <Details certificate={certificate.data} />}
      {certificate.data === undefined &&
        (certificate.error === null ? (
          <Loading rows={5} />
        ) : (
          <Failed error={certificate.error} onRetry={() => void certificate.refetch()} />
        ))}
    </Drawer>
  )
}

function Details({ certificate }: { certificate: Certificate }) {
  const words = useWords('certificates')
  const api = useApi()
  const facts = useFacts(certificate)
  const [isRevoking, revocation] = useDisclosure()
  const { id, state, deviceId, enrollmentGroupId } = certificate
  const save = useMutation({
    mutationFn: async () => {
      const path = { certificateId: id }
      const pem = await api.get('/v1/certificates/{certificateId}/pem', { path, signal: withTimeout() })
      download([pem], `${deviceId}.crt`, 'application/x-pem-file')
    },
  })
  const isRevocable = state !== 'revoked' && enrollmentGroupId !== null
  return (
    <div className={shared.stack}>
      <Facts entries={facts} />
      {state !== 'revoked' && enrollmentGroupId === null && <Notice kind="info">{words.groupIsGone}</Notice>}
      {save.error !== null && <Refusal error={save.error} />}
      <div className={shared.line}>
        <Button loading={save.isPending} onClick={() => save.mutate()}>
          {words.savePem}
        </Button>
        {isRevocable && (
          <Button color="red" variant="outline" onClick={revocation.open}>
            {words.revoke}
          </Button>
        )}
      </div>
      {isRevocable && (
        <RevokeCertificates
          isOpen={isRevoking}
          onClose={revocation.close}
          groupId={enrollmentGroupId}
          deviceId={deviceId}
          certificateId={id}
          isInUse={state === 'active' || state === 'superseded'}
        />
      )}
    </div>
  )
}

function useFacts(certificate: Certificate): [string, ReactNode][] {
  const words = useWords('certificates')
  const format = useFormat()
  const { deviceId, enrollmentGroupId: groupId, state, revocationReason, revokedAt } = certificate
  const device =
    groupId === null ? (
      <bdi>{deviceId}</bdi>
    ) : (
      <PageAnchor link={links.onboardingDevice(groupId, deviceId, { tab: 'certificates' })}>
        <bdi>{deviceId}</bdi>
      </PageAnchor>
    )
  const time = (at: string | null) => (at === null ? words.notYet : format.full(at))
  return [
    [words.device, device],
    [
      words.state,
      <StateMark key="state" state={stateKinds[state]}>
        {words.states[state]}
      </StateMark>,
    ],
    [words.tier, words.tiers[certificate.tier]],
    [words.begins, time(certificate.notBefore)],
    [words.ends, time(certificate.notAfter)],
    [words.issued, time(certificate.issuedAt)],
    [words.connected, time(certificate.connectedAt)],
    ...(certificate.supersededAt === null
      ? []
      : ([[words.superseded, time(certificate.supersededAt)]] as [string, ReactNode][])),
    ...(revokedAt === null
      ? []
      : ([
          [words.revoked, time(revokedAt)],
          [words.reason, words.reasons[revocationReason ?? 'unspecified']],
        ] as [string, ReactNode][])),
    [words.serial, <Id key="serial" value={certificate.serialNumber} name={words.serial} />],
    [words.fingerprint, <Id key="print" value={certificate.fingerprint} name={words.fingerprint} />],
  ]
}
