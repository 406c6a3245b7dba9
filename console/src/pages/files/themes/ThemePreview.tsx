import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { Icon } from '../../../parts/Icon.tsx'
import { useObjectUrl } from '../../../parts/use-object-url.ts'
import { accentVariables } from '../../../shell/accent.ts'
import { Mark } from '../../../shell/Mark.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import styles from './Preview.module.css'
import { readTheme } from './theme.ts'

/** The console with the theme as it is being edited, light and dark. */
export function ThemePreview({ document }: { document: Record<string, unknown> }) {
  const { theme: words } = useWords('files')
  const { colors, logo = null, favicon = null } = readTheme(document)
  return (
    <section className={styles.previews} aria-label={words.preview}>
      <Look look="light" primary={colors?.primary ?? ''} logo={logo} favicon={favicon} />
      <Look look="dark" primary={colors?.primary ?? ''} logo={logo} favicon={favicon} />
    </section>
  )
}

interface LookProps {
  look: 'light' | 'dark'
  primary: string
  logo: string | null
  favicon: string | null
}

function Look({ look, primary, logo, favicon }: LookProps) {
  const { theme: words } = useWords('files')
  const shell = useWords('shell')
  const variables = accentVariables(primary, look === 'dark')
  return (
    <figure className={styles.figure}>
      <div className={styles.look} data-look={look} style={variables as React.CSSProperties}>
        <p className={styles.tab}>
          <Picture id={favicon} size={16} alt={words.favicon} />
          {shell.product}
        </p>
        <div className={styles.page}>
          <div className={styles.rail}>
            <span className={styles.product}>
              <Picture id={logo} size={22} alt={words.logo} />
              {shell.product}
            </span>
            <span className={styles.entry} data-current>
              <Icon name="home" /> {shell.pages.home}
            </span>
            <span className={styles.entry}>
              <Icon name="devices" /> {shell.pages.devices}
            </span>
          </div>
          <div className={styles.content}>
            <p>
              {words.sample} <span className={styles.link}>{words.sampleLink}</span>
            </p>
            <span className={styles.button}>{words.sampleButton}</span>
          </div>
        </div>
      </div>
      <figcaption className={styles.caption}>
        {look === 'light' ? shell.light : shell.dark}
        {': '}
        <Shade primary={primary} accent={variables['--accent']} />
      </figcaption>
    </figure>
  )
}

/** Whether the color is used as it is, or in a shade that can be read. */
function Shade({ primary, accent }: { primary: string; accent: string | undefined }) {
  const { theme: words } = useWords('files')
  if (accent === undefined) return words.noColor
  const hex = writeHex(accent)
  return hex === primary.toLowerCase() ? words.asIs(hex) : words.shaded(hex)
}

/** @param color as `rgb(27 87 184)` */
const writeHex = (color: string) =>
  `#${color
    .match(/\d+/g)!
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')}`

/** A picture of the shared files; the mark of Gangway without one. */
function Picture({ id, size, alt }: { id: string | null; size: number; alt: string }) {
  const api = useApi()
  const file = useQuery({
    queryKey: ['resource-file', id],
    queryFn: async ({ signal }) => {
      const path = { resourceId: id! }
      const answer = await api.request('get', '/v1/resources/download/{resourceId}', {
        path,
        signal: withTimeout(signal),
      })
      return answer.blob()
    },
    enabled: id !== null,
    staleTime: Infinity,
    structuralSharing: false,
    retry: false,
  })
  const address = useObjectUrl(file.data)
  if (id === null || file.isError) return <Mark />
  return address === null ? null : <img src={address} alt={alt} height={size} className={styles.picture} />
}
