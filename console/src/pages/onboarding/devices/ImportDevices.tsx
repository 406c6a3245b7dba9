import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { PageHead } from '../../../parts/layout/ListPage.tsx'
import page from '../../../parts/layout/Page.module.css'
import { text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { GroupChoice } from '../GroupChoice.tsx'
import { SectionNav } from '../Section.tsx'
import { useChosenGroup } from '../use-chosen-group.ts'
import { ImportFlow } from './ImportFlow.tsx'

const fields = { group: text() }

/** Registers many devices from a file or pasted text. */
export default function ImportDevices() {
  const { file: words } = useWords('onboardingDevices')
  const [{ group: asked }, change] = useUrlState(fields)
  const chosen = useChosenGroup(asked)
  const { group } = chosen
  return (
    <>
      <SectionNav groupId={group?.id} />
      <div className={page.page}>
        <PageHead
          title={words.title}
          text={words.what}
          actions={
            group !== undefined && (
              <CodeExamples
                requests={[
                  example('post', '/api/enrollment-groups/{id}/devices', {
                    path: { id: group.id },
                    body: { device_id: 'device-0001' },
                  }),
                  example('post', '/provision_device', {
                    body: { device_id: 'device-0001', enrollment_group_id: group.id },
                  }),
                ]}
              />
            )
          }
        />
        <GroupChoice chosen={chosen} onChoose={(next) => void change({ group: next })}>
          {(shown) => (
            <ImportFlow key={shown.id} group={shown} devices={links.onboardingDevices({ group: shown.id })} />
          )}
        </GroupChoice>
      </div>
    </>
  )
}
