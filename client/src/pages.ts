/** Reads lists page by page. The platform answers an array and a `Link`, the onboarding service an object. */

export interface Page<Item> {
  items: Item[]
  /** The query parameter `cursor` of the next page; null on the last one. */
  cursor: string | null
}

export function readPage<Item>(response: Response, body: unknown): Page<Item> {
  if (Array.isArray(body)) return { items: body, cursor: readCursor(response) }
  const { items, continuation_token } = body as { items: Item[]; continuation_token: string | null }
  return { items, cursor: continuation_token }
}

/**
 * The cursor of the next page, from a header such as `</v1/assets?cursor=cHVtcC03>; rel="next"`; null on the last page.
 * For questions that are asked by POST and answered in pages.
 */
export function readCursor({ headers }: Pick<Response, 'headers'>): string | null {
  const [, address] = /<([^>]*)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '') ?? []
  return address === undefined ? null : new URL(address, 'http://host').searchParams.get('cursor')
}

/** @param readNext reads the page that begins at a cursor, the first one without */
export async function* iteratePages<Item>(
  readNext: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let page = await readNext(undefined)
  yield* page.items
  while (page.cursor !== null) {
    page = await readNext(page.cursor)
    yield* page.items
  }
}
