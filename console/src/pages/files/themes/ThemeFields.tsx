import { Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { Notice } from '../../../parts/State.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import styles from '../Files.module.css'
import { isHexColor, readTheme, type Theme } from './theme.ts'

interface Props {
  document: Record<string, unknown>
  onChange: (changes: Theme) => void
  isReadOnly: boolean
}

/** The primary color and the pictures of a theme. */
export function ThemeFields({ document, onChange, isReadOnly }: Props) {
  const { theme: words } = useWords('files')
  const theme = readTheme(document)
  const primary = theme.colors?.primary ?? ''
  const setPrimary = (color: string) => onChange({ colors: { ...theme.colors, primary: color } })
  return (
    <div className={styles.fields}>
      <div className={styles.color}>
        <input
          type="color"
          className={styles.swatch}
          aria-label={words.pick}
          disabled={isReadOnly}
          // The browser's picker knows this form alone.
          value={/^#[\dA-Fa-f]{6}$/.test(primary) ? primary : '#000000'}
          onChange={(event) => setPrimary(event.currentTarget.value)}
        />
        <TextInput
          label={words.primary}
          description={words.primaryHint}
          autoComplete="off"
          spellCheck={false}
          readOnly={isReadOnly}
          value={primary}
          error={primary === '' || isHexColor(primary) ? undefined : words.notHex}
          onChange={(event) => setPrimary(event.currentTarget.value)}
        />
      </div>
      <PictureField
        label={words.logo}
        description={words.logoHint}
        value={theme.logo ?? null}
        onChange={(logo) => onChange({ logo })}
        isReadOnly={isReadOnly}
      />
      <PictureField
        label={words.favicon}
        description={words.faviconHint}
        value={theme.favicon ?? null}
        onChange={(favicon) => onChange({ favicon })}
        isReadOnly={isReadOnly}
      />
      <OtherColors colors={theme.colors ?? {}} />
    </div>
  )
}

interface PictureProps {
  label: string
  description: string
  value: string | null
  onChange: (id: string | null) => void
  isReadOnly: boolean
}

const OFFERED = 1000

/** A picture of the shared files. */
function PictureField({ label, description, value, onChange, isReadOnly }: PictureProps) {
  const { theme: words } = useWords('files')
  const format = useFormat()
  const api = useApi()
  const found = useQuery({
    queryKey: ['resources', 'pictures'],
    queryFn: ({ signal }) =>
      api.page('/v1/resources', { query: { limit: OFFERED }, signal: withTimeout(signal) }),
    staleTime: 30_000,
  })
  const pictures = (found.data?.items ?? []).filter(({ metadata }) =>
    metadata.contentType.startsWith('image/'),
  )
  const options = pictures.map(({ id, displayName }) => ({ value: id, label: displayName }))
  const isKnown = value === null || pictures.some(({ id }) => id === value)
  return (
    <div>
      <Select
        label={label}
        description={description}
        searchable
        clearable
        readOnly={isReadOnly}
        placeholder={words.noPicture}
        nothingFoundMessage={words.noPictures}
        data={isKnown ? options : [...options, { value, label: value }]}
        value={value}
        onChange={onChange}
      />
      {found.data !== undefined && found.data.cursor !== null && (
        <p className={styles.quiet}>{words.picturesCut(format.number(OFFERED))}</p>
      )}
    </div>
  )
}

/** Colors that other clients use; the console has one. */
function OtherColors({ colors }: { colors: Record<string, string> }) {
  const { theme: words } = useWords('files')
  const names = Object.keys(colors).filter((name) => name !== 'primary')
  return names.length === 0 ? null : <Notice kind="info">{words.otherColors(names.join(', '))}</Notice>
}
