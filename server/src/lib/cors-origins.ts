/** Parses the list of origins whose scripts may call the API. */

/** @throws Error that says what is wrong */
export function parseCorsOrigins(entries: string[]): string[] {
  if (entries.includes('*') && entries.length > 1) throw new Error('* stands alone: it allows every origin')
  for (const entry of entries) if (entry !== '*') requireOrigin(entry)
  return entries
}

function requireOrigin(entry: string): void {
  const url = URL.canParse(entry) ? new URL(entry) : undefined
  // A browser compares whole origins, so that a wildcard within a host means nothing.
  const isWeb = url !== undefined && /^https?:$/.test(url.protocol) && !url.hostname.includes('*')
  if (isWeb && url.origin === entry) return
  const hint = isWeb ? `write ${url.origin}` : 'write it like https://app.example.com'
  throw new Error(`${entry} is no origin: ${hint}`)
}
