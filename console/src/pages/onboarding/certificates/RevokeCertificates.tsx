import { Select } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { ConfirmByName } from '../../../parts/ConfirmByName.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import shared from '../Onboarding.module.css'
import { deviceReasons } from './certificate.ts'

interface Props {
  isOpen: boolean
  onClose: () => void
  groupId: string
  deviceId: string
  /** Absent to revoke all certificates of the device. */
  certificateId?: string
  /** Whether a device has connected with the certificate. */
  isInUse: boolean
}

/** Revokes one or all certificates of a device, after a confirmation that names the consequences. */
export function RevokeCertificates({ isOpen, onClose, groupId, deviceId, certificateId, isInUse }: Props) {
  const words = useWords('certificates')
  const api = useApi()
  const cache = useQueryClient()
  const [reason, setReason] = useState<(typeof deviceReasons)[number]>('unspecified')
  const revoke = async () => {
    await api.post('/api/enrollment-groups/{id}/devices/{deviceId}/certificates/revoke', {
      path: { id: groupId, deviceId },
      body: { reason, ...(certificateId !== undefined && { certificate_id: certificateId }) },
      signal: withTimeout(),
    })
    await Promise.all(
      ['certificates', 'certificate', 'certificate-forecast', 'device-certificates'].map((name) =>
        cache.invalidateQueries({ queryKey: [name] }),
      ),
    )
  }
  const action = certificateId === undefined ? words.revokeAll : words.revoke
  return (
    <ConfirmByName
      isOpen={isOpen}
      onClose={onClose}
      title={certificateId === undefined ? words.revokeAllTitle : words.revokeTitle}
      name={deviceId}
      action={action}
      onConfirm={revoke}
    >
      <div className={shared.stack}>
        <p>{isInUse ? words.revokeUsedText : words.revokeText}</p>
        <p>{words.revokeAfter}</p>
        <Select
          label={words.reason}
          value={reason}
          data={deviceReasons.map((value) => ({ value, label: words.reasons[value] }))}
          onChange={(value) => setReason((value ?? 'unspecified') as typeof reason)}
        />
      </div>
    </ConfirmByName>
  )
}
