import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { Name } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Home.module.css'
import type { Overview } from './Home.tsx'

/** Numbers of devices of each provider; each number links to the list of these devices. */
export function ProviderTable({ devices }: { devices: NonNullable<Overview['devices']> }) {
  const words = useWords('home')
  const format = useFormat()
  return (
    <table className={styles.providers}>
      <thead>
        <tr>
          <th scope="col">{words.provider}</th>
          <th scope="col">{words.online}</th>
          <th scope="col">{words.offline}</th>
          <th scope="col">{words.total}</th>
        </tr>
      </thead>
      <tbody>
        {devices.providers.map(({ providerId, online, offline, total }) => (
          <tr key={providerId}>
            <th scope="row">
              <Name>{providerId}</Name>
            </th>
            {[
              { count: online, name: words.online, search: { connection: 'online' } },
              { count: offline, name: words.offline, search: { connection: 'offline' } },
              { count: total, name: words.total, search: {} },
            ].map(({ count, name, search }) => (
              <td key={name}>
                <PageAnchor
                  link={links.devices({ provider: providerId, ...search } as Record<string, string>)}
                >
                  {format.number(count)}
                  <span className="visually-hidden"> {name}</span>
                </PageAnchor>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
