/** A piece is about as long as one write to a socket. */
const PIECE_CHARACTERS = 64 * 1024

/**
 * The texts of a page, joined to pieces: a page of long values must be neither turned into text in one go nor kept as
 * text, once more for each step on its way, while its reader takes nothing.
 */
export function* textPieces(texts: Iterable<string>, separator = ''): Generator<string> {
  let gathered: string[] = []
  let characters = 0
  for (const text of texts) {
    gathered.push(text)
    characters += text.length
    if (characters < PIECE_CHARACTERS) continue
    yield gathered.join(separator)
    gathered = []
    characters = 0
  }
  if (gathered.length > 0) yield gathered.join(separator)
}

/** As `map` of a list, but each only when it is asked for. */
export function* mapEach<T>(items: Iterable<T>, textOf: (item: T) => string): Generator<string> {
  for (const item of items) yield textOf(item)
}
