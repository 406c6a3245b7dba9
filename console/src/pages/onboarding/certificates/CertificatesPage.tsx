import { lazyPart } from '../../../load-part.ts'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example, listExample } from '../../../parts/code/example.ts'
import { DetailLayout } from '../../../parts/layout/DetailLayout.tsx'
import { choice, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { SectionNav } from '../Section.tsx'

const CertificateList = lazyPart(() => import('./CertificateList.tsx'))
const Authorities = lazyPart(() => import('./Authorities.tsx'))

const fields = { tab: choice(['list', 'authorities']) }

/** Certificates that devices use instead of keys, with their expiry, and the issuing authorities. */
export default function CertificatesPage() {
  const words = useWords('certificates')
  const { title: parent } = useWords('onboarding')
  const [{ tab }, change] = useUrlState(fields)
  return (
    <>
      <SectionNav />
      <DetailLayout
        parent={{ title: parent, link: links.onboarding() }}
        title={words.title}
        label={words.title}
        facts={<span>{words.what}</span>}
        actions={
          <CodeExamples
            requests={
              tab === 'list'
                ? [
                    example('get', '/v1/certificates/forecast', { query: { weeks: 26 } }),
                    listExample('/v1/certificates', { query: { limit: 100 } }),
                  ]
                : [listExample('/v1/certificate-authorities', { query: { limit: 100 } })]
            }
          />
        }
        tab={tab}
        onTab={(next) => void change({ tab: next })}
        tabs={[
          { id: 'list', title: words.tabs.list, render: () => <CertificateList /> },
          { id: 'authorities', title: words.tabs.authorities, render: () => <Authorities /> },
        ]}
      />
    </>
  )
}
