import { Autocomplete, type ComboboxItem } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { markOptions } from '../../parts/outdated-list.ts'
import { useWords } from '../../words/words.tsx'
import { findOwners } from '../explore/find-owners.ts'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Bindings.module.css'

interface Props {
  label: string
  value: string
  onChange: (id: string) => void
  error?: string | undefined
  isReadOnly?: boolean
  /** Leaves assets out. */
  onlyClients?: boolean
}

const PAUSE_MS = 300
const KEPT_MS = 60_000

/** A field for the id of a device or an asset, with search results of the server as suggestions. */
export function SourcePicker({
  label,
  value,
  onChange,
  error,
  isReadOnly = false,
  onlyClients = false,
}: Props) {
  const words = useWords('bindings')
  const api = useApi()
  const [wanted] = useDebouncedValue(value.trim(), PAUSE_MS)
  const { data = [], isPlaceholderData } = useQuery({
    queryKey: ['owners', wanted],
    enabled: !isReadOnly,
    queryFn: ({ signal }) => findOwners(api, wanted, withTimeout(signal)),
    placeholderData: keepPreviousData,
    staleTime: KEPT_MS,
  })
  const found = new Map(
    data.filter(({ kind }) => !onlyClients || kind === 'client').map((owner) => [owner.id, owner]),
  )
  return (
    <Autocomplete
      {...markOptions(value.trim() !== wanted || isPlaceholderData)}
      label={label}
      placeholder={words.sourceHint}
      autoComplete="off"
      spellCheck={false}
      readOnly={isReadOnly}
      value={value}
      onChange={onChange}
      error={error}
      data={[...found.keys()]}
      filter={({ options }) => options as ComboboxItem[]}
      comboboxProps={{ transitionProps: { duration: 0 } }}
      renderOption={({ option }) => {
        const owner = found.get(option.value)
        return (
          <span className={styles.option}>
            <bdi className={styles.cut}>{owner?.name ?? option.value}</bdi>
            <span className={styles.quiet}>
              {owner?.kind === 'asset' ? words.ofAsset : words.ofDevice} <bdi>{option.value}</bdi>
            </span>
          </span>
        )
      }}
    />
  )
}
