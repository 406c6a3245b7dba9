import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { listExample } from '../../../parts/code/example.ts'
import { ListPage } from '../../../parts/layout/ListPage.tsx'
import { Empty } from '../../../parts/State.tsx'
import { choice, text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { CreateButton } from '../../access/CreateButton.tsx'
import { DeploymentTable } from './DeploymentTable.tsx'
import { deploymentsRoute, useDeployments } from './use-deployments.ts'

const statuses = ['', 'Ready', 'Running', 'Paused', 'Stopped', 'Cancelled', 'Completed'] as const
const fields = {
  search: text(),
  status: choice(statuses),
  ended: choice(['', 'no', 'yes']),
  failing: choice(['', 'yes', 'no']),
}

/** Deployments of all releases, and the way to releases and templates. */
export default function DeploymentList() {
  const words = useWords('deployments')
  const { releases, templates } = useWords('firmware')
  const router = useRouter()
  const [state, change] = useUrlState(fields)
  const { source, query } = useDeployments({
    ...(state.search !== '' && { search: state.search }),
    ...(state.status !== '' && { status: state.status }),
    ...(state.ended !== '' && { ended: state.ended === 'yes' }),
    ...(state.failing !== '' && { failing: state.failing === 'yes' }),
  })
  const open = (link: object) => void router.navigate(link as never)
  const create = (
    <CreateButton privilege="firmware_management" onClick={() => open(links.newDeployment())}>
      {words.create}
    </CreateButton>
  )
  return (
    <ListPage
      title={words.title}
      text={source.rows.length === 0 ? words.what : undefined}
      actions={
        <>
          <CodeExamples requests={[listExample(deploymentsRoute, { query })]} />
          <Button onClick={() => open(links.releases())}>{releases}</Button>
          <Button onClick={() => open(links.deploymentTemplates())}>{templates}</Button>
          {create}
        </>
      }
    >
      <DeploymentTable
        label={words.deployments}
        source={source}
        search={{
          value: state.search,
          onChange: (search) => void change({ search }),
          label: words.search,
        }}
        filters={[
          {
            id: 'status',
            label: words.state,
            options: statuses.flatMap((value) =>
              value === '' ? [] : [{ value, label: words.states[value] }],
            ),
            value: state.status,
            onChange: (status) => void change({ status: status as typeof state.status }),
          },
          {
            id: 'ended',
            label: words.end,
            options: [
              { value: 'no', label: words.notEnded },
              { value: 'yes', label: words.ended },
            ],
            value: state.ended,
            onChange: (ended) => void change({ ended: ended as typeof state.ended }),
          },
          {
            id: 'failing',
            label: words.failing,
            hint: words.failingHint,
            options: [
              { value: 'yes', label: words.withFailures },
              { value: 'no', label: words.withoutFailures },
            ],
            value: state.failing,
            onChange: (failing) => void change({ failing: failing as typeof state.failing }),
          },
        ]}
        empty={<Empty icon="firmware" title={words.emptyTitle} text={words.emptyText} action={create} />}
      />
    </ListPage>
  )
}
