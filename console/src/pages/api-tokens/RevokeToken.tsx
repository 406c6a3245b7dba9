import type { Schemas } from '@gangway/client'
import { useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { ConfirmByName } from '../../parts/ConfirmByName.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'

/** Dialog that revokes a token, with those that were made with it. */
export function RevokeToken(props: { token: Schemas['ApiToken']; onClose: () => void }) {
  const { revoke: words } = useWords('apiTokens')
  const api = useApi()
  const cache = useQueryClient()
  const revoke = async () => {
    await api.delete('/v1/api-tokens/{tokenId}', {
      path: { tokenId: props.token.id },
      signal: withTimeout(),
    })
    await cache.invalidateQueries({ queryKey: ['api-tokens'] })
  }
  return (
    <ConfirmByName
      isOpen
      onClose={props.onClose}
      title={words.title}
      name={props.token.displayName}
      action={words.action}
      onConfirm={revoke}
    >
      {words.text}
    </ConfirmByName>
  )
}
