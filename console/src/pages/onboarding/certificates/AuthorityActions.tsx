import { Button, Drawer, Select } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { ConfirmByName } from '../../../parts/ConfirmByName.tsx'
import { download } from '../../../parts/download.ts'
import { Id } from '../../../parts/Id.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Facts } from '../../../parts/why/WhyPanel.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import shared from '../Onboarding.module.css'
import type { Authority } from './Authorities.tsx'
import { authorityReasons } from './certificate.ts'

/** Downloads the certificates of an authority, or revokes it. */
export function AuthorityActions({ authority, onClose }: { authority: Authority; onClose: () => void }) {
  const { authorities: words } = useWords('certificates')
  const common = useWords('common')
  const format = useFormat()
  const api = useApi()
  const [isRevoking, revocation] = useDisclosure()
  const save = useMutation({
    mutationFn: async () => {
      const pem = await api.get('/v1/certificate-authorities/{authorityId}/certificates', {
        path: { authorityId: authority.id },
        signal: withTimeout(),
      })
      download([pem], `authority-${authority.id.slice(0, 8)}.pem`, 'application/x-pem-file')
    },
  })
  const time = (at: string | null) => (at === null ? words.notYet : format.full(at))
  return (
    <Drawer
      opened
      onClose={onClose}
      size="lg"
      title={<bdi>{authority.subject}</bdi>}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <div className={shared.stack}>
        <Facts
          entries={[
            [words.kind, words.kinds[authority.kind]],
            [words.status, words.states[authority.status]],
            [words.origin, words.origins[authority.origin]],
            [words.begins, time(authority.notBefore)],
            [words.ends, time(authority.notAfter)],
            ...(authority.retiredAt === null
              ? []
              : ([[words.retired, time(authority.retiredAt)]] as [string, string][])),
            ...(authority.revokedAt === null
              ? []
              : ([[words.revoked, time(authority.revokedAt)]] as [string, string][])),
            [words.id, <Id key="id" value={authority.id} name={words.id} />],
          ]}
        />
        {save.error !== null && <Refusal error={save.error} />}
        <div className={shared.line}>
          <Button loading={save.isPending} onClick={() => save.mutate()}>
            {words.savePem}
          </Button>
          {authority.kind === 'issuing' && authority.status !== 'revoked' && (
            <Button color="red" variant="outline" onClick={revocation.open}>
              {words.revoke}
            </Button>
          )}
        </div>
        {authority.kind === 'root' && <p className={shared.note}>{words.rootText}</p>}
      </div>
      <RevokeAuthority
        authority={authority}
        isOpen={isRevoking}
        onClose={revocation.close}
        onRevoked={onClose}
      />
    </Drawer>
  )
}

interface RevokeProps {
  authority: Authority
  isOpen: boolean
  onClose: () => void
  onRevoked: () => void
}

function RevokeAuthority({ authority, isOpen, onClose, onRevoked }: RevokeProps) {
  const { authorities: words, reasons, reason: reasonLabel } = useWords('certificates')
  const api = useApi()
  const cache = useQueryClient()
  const [reason, setReason] = useState<(typeof authorityReasons)[number]>('ca_compromise')
  const revoke = async () => {
    await api.post('/v1/certificate-authorities/{authorityId}/revoke', {
      path: { authorityId: authority.id },
      body: { reason },
      signal: withTimeout(),
    })
    await Promise.all(
      ['authorities', 'certificates', 'certificate-forecast'].map((name) =>
        cache.invalidateQueries({ queryKey: [name] }),
      ),
    )
    onRevoked()
  }
  return (
    <ConfirmByName
      isOpen={isOpen}
      onClose={onClose}
      title={words.revokeTitle}
      name={authority.id.slice(0, 8)}
      action={words.revoke}
      onConfirm={revoke}
    >
      <div className={shared.stack}>
        <p>{authority.status === 'active' ? words.revokeActiveText : words.revokeText}</p>
        <Select
          label={reasonLabel}
          value={reason}
          data={authorityReasons.map((value) => ({ value, label: reasons[value] }))}
          onChange={(value) => setReason((value ?? 'ca_compromise') as typeof reason)}
        />
      </div>
    </ConfirmByName>
  )
}
