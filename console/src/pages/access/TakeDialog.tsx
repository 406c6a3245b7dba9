import { Button, Modal } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { Notice } from '../../parts/State.tsx'
import { useUser } from '../../session/SessionProvider.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Access.module.css'
import { Impact, useImpact } from './Impact.tsx'
import { TupleLine } from './TupleLine.tsx'
import type { Tuple } from './objects.ts'
import { invalidateAccess } from './invalidate.ts'

/** Says who would lose what if a relation were taken away, and takes it away. */
export default function TakeDialog({ tuple, onClose }: { tuple: Tuple; onClose: () => void }) {
  const words = useWords('access')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const user = useUser()
  const impact = useImpact(tuple)
  const take = useMutation({
    mutationFn: () => api.post('/v1/relations/delete', { body: tuple, signal: withTimeout() }),
    onSuccess: () => {
      invalidateAccess(cache)
      onClose()
    },
  })
  const isSelf = tuple.subjectType === 'user' && tuple.subjectId === user.id
  return (
    <Modal opened onClose={onClose} size="lg" title={words.take.title}>
      <div className={styles.fields}>
        <TupleLine tuple={tuple} />
        {isSelf && <Notice kind="warning">{words.take.self}</Notice>}
        <Impact impact={impact} />
        {take.error !== null && <Refusal error={take.error} />}
        <div className={styles.dialogActions}>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            variant="filled"
            color="red"
            disabled={impact.data === undefined}
            loading={take.isPending}
            onClick={() => take.mutate()}
          >
            {words.take.action}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
