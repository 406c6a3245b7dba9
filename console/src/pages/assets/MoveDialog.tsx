import { Button, Modal, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { Loading } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { AccessChanges } from './AccessChanges.tsx'
import styles from './Assets.module.css'
import { type AccessChange, listMoves, mergeChanges, type Move, MOST_MOVED } from './moves.ts'
import { type Place, placeKey, type TreeChild } from './place.ts'
import { PickPlace } from './PlaceField.tsx'
import { Way } from './Way.tsx'

interface Props {
  things: TreeChild[]
  /** Place onto which the things were dropped; undefined if it is to be chosen in the dialog. */
  target?: { place: Place | null; name: string }
  onClose: () => void
  onMoved: () => void
}

/** Dialog that chooses the new place, shows whose access changes, and moves the things. */
export default function MoveDialog({ things, target, onClose, onMoved }: Props) {
  const { move: words, nowhere } = useWords('assets')
  const common = useWords('common')
  const [to, setTo] = useState(target)
  const isTooMany = things.length > MOST_MOVED
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={
        <bdi>{things.length === 1 ? words.title(things[0]!.displayName) : words.titleOf(things.length)}</bdi>
      }
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {isTooMany ? (
        <p>{words.tooMany(MOST_MOVED)}</p>
      ) : (
        <div className={styles.fields}>
          <div className={styles.placeField}>
            <span>{words.to}</span>
            <strong className={styles.entryName}>
              <bdi>{to === undefined ? words.notChosen : to.place === null ? nowhere : to.name}</bdi>
            </strong>
            {to !== undefined && <Button onClick={() => setTo(undefined)}>{words.choose}</Button>}
          </div>
          {to === undefined ? (
            <PickPlace selected={null} onPick={(place, name) => setTo({ place, name })} />
          ) : (
            <Impact
              key={placeKey(to.place)}
              things={things}
              to={to.place}
              onClose={onClose}
              onMoved={onMoved}
            />
          )}
        </div>
      )}
    </Modal>
  )
}

/** Access changes, found by a dry run of each move, and the button that makes the moves one after another. */
function Impact({
  things,
  to,
  onClose,
  onMoved,
}: { things: TreeChild[]; to: Place | null } & Pick<Props, 'onClose' | 'onMoved'>) {
  const { move: words } = useWords('assets')
  const common = useWords('common')
  const api = useApi()
  const [leaving, setLeaving] = useState<string | undefined>(undefined)
  const [running, setRunning] = useState(0)
  const [failure, setFailure] = useState<unknown>(null)
  const dry = useQuery({
    queryKey: ['move', things.map(({ type, id, edgeId }) => [type, id, edgeId]), placeKey(to), leaving],
    queryFn: async ({ signal }) => {
      const moves = await listMoves(api, { things, to, leaving, signal: withTimeout(signal) })
      const changes: AccessChange[] = []
      for (const { body } of moves) {
        const { accessChanges = [] } = await api.post('/v1/tree/move', {
          body: { ...body, dryRun: true },
          signal: withTimeout(signal),
        })
        changes.push(...accessChanges)
      }
      return { moves, changes: mergeChanges(changes) }
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const run = async (moves: Move[]) => {
    setFailure(null)
    try {
      for (const [index, { body }] of moves.entries()) {
        setRunning(index + 1)
        await api.post('/v1/tree/move', { body, signal: withTimeout() })
      }
      onMoved()
      onClose()
    } catch (error) {
      setFailure(error)
      onMoved()
    } finally {
      setRunning(0)
    }
  }
  if (dry.isPending) return <Loading rows={3} />
  if (dry.data === undefined) return <Refused error={dry.error} onClose={onClose} />
  const { moves, changes } = dry.data
  const [only] = moves
  return (
    <>
      {only !== undefined && moves.length === 1 && only.places.length > 1 && (
        <LeaveField places={only.places} value={only.body.edgeId ?? ''} onChange={setLeaving} />
      )}
      {only !== undefined && moves.length === 1 && only.places.length === 1 && (
        <div className={styles.placeField}>
          <span>{words.leaves}</span>
          <Way path={only.places[0]!.path} onGo={() => {}} />
        </div>
      )}
      {moves.length === 0 && <p>{words.alreadyThere}</p>}
      {moves.length > 0 && (
        <AccessChanges changes={changes} hasContents={things.some(({ hasChildren }) => hasChildren)} />
      )}
      {failure !== null && <Refusal error={failure} />}
      <div className={styles.dialogActions}>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button
          variant="filled"
          data-autofocus
          disabled={moves.length === 0}
          loading={running > 0}
          onClick={() => void run(moves)}
        >
          {moves.length > 1 ? words.runAll(moves.length) : words.run}
        </Button>
      </div>
    </>
  )
}

function Refused({ error, onClose }: { error: unknown; onClose: () => void }) {
  const common = useWords('common')
  return (
    <>
      <Refusal error={error} />
      <div className={styles.dialogActions}>
        <Button onClick={onClose}>{common.close}</Button>
      </div>
    </>
  )
}

function LeaveField(props: { places: Move['places']; value: string; onChange: (edgeId: string) => void }) {
  const { move: words } = useWords('assets')
  return (
    <Select
      label={words.leaves}
      description={words.leavesHint}
      data={[
        ...props.places.map(({ edgeId, path }) => ({
          value: edgeId,
          label: path.map(({ displayName }) => displayName).join(' › '),
        })),
        { value: '', label: words.leavesNone },
      ]}
      value={props.value}
      onChange={(edgeId) => props.onChange(edgeId ?? '')}
    />
  )
}
