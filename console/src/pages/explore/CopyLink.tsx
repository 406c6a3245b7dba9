import { CopyButton } from '../../parts/Copy.tsx'
import { useWords } from '../../words/words.tsx'

/** Button that copies the address of the page with the time zone, so that others see the same times. */
export function CopyLink({ zone }: { zone: string }) {
  const words = useWords('explore')
  const load = () => {
    const address = new URL(location.href)
    address.searchParams.set('zone', zone)
    return address.href
  }
  return <CopyButton label={words.copyLink} load={load} />
}
