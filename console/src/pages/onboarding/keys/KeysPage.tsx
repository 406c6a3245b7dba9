import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { PageHead } from '../../../parts/layout/ListPage.tsx'
import page from '../../../parts/layout/Page.module.css'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { GroupChoice } from '../GroupChoice.tsx'
import shared from '../Onboarding.module.css'
import { SectionNav } from '../Section.tsx'
import { useChosenGroup } from '../use-chosen-group.ts'
import { listKeyRequests } from './list-key-requests.ts'
import KeysTab from './KeysTab.tsx'

const fields = { group: text() }

/** Bootstrap keys, with a choice of the group. */
export default function KeysPage() {
  const words = useWords('keys')
  const [{ group: asked }, change] = useUrlState(fields)
  const chosen = useChosenGroup(asked)
  return (
    <>
      <SectionNav groupId={chosen.group?.id} />
      <div className={page.page}>
        <PageHead
          title={words.pageTitle}
          text={words.what}
          actions={chosen.group !== undefined && <CodeExamples requests={listKeyRequests(chosen.group.id)} />}
        />
        <GroupChoice chosen={chosen} onChoose={(group) => void change({ group })}>
          {(group) => (
            <div className={shared.stack}>
              <p>
                <PageAnchor link={links.group(group.id)}>{words.openGroup}</PageAnchor>
              </p>
              <KeysTab key={group.id} group={group} />
            </div>
          )}
        </GroupChoice>
      </div>
    </>
  )
}
