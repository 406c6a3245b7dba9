import type { Context } from '../../context.ts'
import { user } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { TriedParser, TryParser } from './schema.ts'
import { tryParser } from './try-parser.ts'

export const tryParserRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/parsers/try',
    operationId: 'tryParser',
    summary: 'Try a parser on a payload, and return what would be stored, or why it cannot be read',
    access: user(),
    body: TryParser,
    // Allows for a payload of 1 MiB inside JSON.
    bodyLimit: 3 * 1024 * 1024,
    response: { 200: TriedParser },
    handler: async ({ body }) => tryParser(ctx, body),
  }),
]
