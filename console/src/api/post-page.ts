import { type Answer, type Gangway, type PathFor, readCursor, type RequestOptions } from '@gangway/client'

/** One page of a question that is asked by POST; `query.cursor` takes the cursor of the page before. */
export async function postPage<P extends PathFor<'post'>>(
  api: Gangway,
  path: P,
  options: RequestOptions<'post', P>,
): Promise<{ answer: Answer<'post', P>; cursor: string | null }> {
  const response = await api.request('post', path, ...([options] as never))
  return { answer: (await response.json()) as Answer<'post', P>, cursor: readCursor(response) }
}
