interface Link {
  dashboardId: string
  /** Search of the dashboard's page, of which the link keeps what a screen has too. */
  search: string
  token: string
}

/** The token is in the fragment, which browsers send to no server and leave out of referrers. */
export function writeKioskLink(origin: string, { dashboardId, search, token }: Link): string {
  const address = new URL(`/console/kiosk/${encodeURIComponent(dashboardId)}`, origin)
  const present = new URLSearchParams(search)
  for (const name of ['range', 'tab']) {
    const value = present.get(name)
    if (value !== null) address.searchParams.set(name, value)
  }
  address.hash = new URLSearchParams({ token }).toString()
  return address.href
}
