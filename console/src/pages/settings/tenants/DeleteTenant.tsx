import { Button, Checkbox } from '@mantine/core'
import { ApiError } from '@gangway/client'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { ConfirmByName } from '../../../parts/ConfirmByName.tsx'
import { useUser } from '../../../session/SessionProvider.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { WhyButton } from '../../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../../parts/why/WhyPanel.tsx'
import { type Tenant, tenantRoute } from './tenant.ts'

/** Deletes an empty tenant at once, and one with content after a second decision. */
export function DeleteTenant({ tenant }: { tenant: Tenant }) {
  const { remove: words } = useWords('settings')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const { tenantId: own } = useUser()
  const [isOpen, dialog] = useDisclosure()
  const [isWhyOpen, why] = useDisclosure()
  const [hasContent, setHasContent] = useState(false)
  const [isForced, setForced] = useState(false)
  const { id: tenantId, displayName, deletion } = tenant
  const remove = async () => {
    try {
      const left = (await api.delete(tenantRoute, {
        path: { tenantId },
        query: { force: isForced },
        signal: withTimeout(),
      })) as Tenant | undefined
      if (left === undefined) await router.navigate(links.tenants() as never)
      else cache.setQueryData(['tenant', tenantId], left)
      await cache.invalidateQueries({ queryKey: ['tenants'] })
    } catch (error) {
      if (error instanceof ApiError && error.details.holds !== undefined) setHasContent(true)
      throw error
    }
  }
  return (
    <>
      <Button color="red" variant="outline" disabled={tenantId === own} onClick={dialog.open}>
        {deletion === null ? words.action : words.again}
      </Button>
      {tenantId === own && (
        <>
          <WhyButton onClick={why.open} />
          <WhyPanel isOpen={isWhyOpen} onClose={why.close} reason={words.own} />
        </>
      )}
      <ConfirmByName
        isOpen={isOpen}
        onClose={dialog.close}
        title={words.title}
        name={displayName}
        action={words.action}
        onConfirm={remove}
      >
        <p>{words.text}</p>
        {hasContent && (
          <Checkbox
            mt="md"
            label={words.force}
            checked={isForced}
            onChange={(event) => setForced(event.currentTarget.checked)}
          />
        )}
      </ConfirmByName>
    </>
  )
}
