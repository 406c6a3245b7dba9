/** Routes that accept telemetry and reported properties by HTTP, for clients of type import. [docs/providers#import] */
import type { IncomingHttpHeaders } from 'node:http'
import type { Context } from '../context.ts'
import { permission } from '../http/access.ts'
import { validationError } from '../http/errors.ts'
import { route, type Route } from '../http/route.ts'
import { ClientPath } from '../providers/clients/schema.ts'
import { getImportSource } from '../providers/kinds/import/import-source.ts'
import { PARSER_HEADER, readParserHeaders } from '../providers/kinds/import/parser-headers.ts'
import { createImporter, type ImportKind } from './import-message.ts'
import type { Ingest } from './ingest.ts'
import type { Parser } from './parsers/parser.ts'

export function importRoutes(ctx: Context, ingest: Ingest): Route[] {
  const importMessage = createImporter(ingest)
  return [
    importRoute(
      'telemetry',
      "Import telemetry of a client of type `import`. The payload is read by the client's or provider's parser, or by " +
        'that of the headers `X-Provider-Parser` and `X-Provider-Parser-Options` (JSON). Answers once it is stored; samples ' +
        'that are repeated with their own timestamps are stored once',
      (headers) => {
        const named = readParserHeaders(headers)
        return named && ctx.parsers.of(named, PARSER_HEADER)
      },
    ),
    importRoute(
      'reported',
      'Import reported properties of a client of type `import`: one JSON object, merged into its twin; null removes a property',
      refuseParser,
    ),
  ]

  function importRoute(
    kind: ImportKind,
    summary: string,
    chooseParser: (headers: IncomingHttpHeaders) => Parser | undefined,
  ): Route {
    return route({
      method: 'POST',
      url: `/v1/providers/{providerId}/clients/{clientId}/${kind}`,
      operationId: kind === 'telemetry' ? 'importTelemetry' : 'importReportedProperties',
      summary,
      access: permission('manage', 'provider_client', (p) => p.clientId!),
      params: ClientPath,
      rawBody: { as: 'buffer', contentType: '*' },
      response: { 204: null },
      handler: async ({ params, caller, request }) => {
        const named = chooseParser(request.headers)
        const { parser, ...source } = await getImportSource(ctx.db, { ...params, tenantId: caller.tenantId })
        const device = { ...source, parse: named ?? ctx.parsers.ofStored(parser) }
        // A request without a body has no `body`, not an empty one.
        await importMessage(kind, device, (request.body as Buffer | undefined) ?? Buffer.alloc(0))
      },
    })
  }
}

/** Twins have only one format; a parser would be ignored without notice. */
function refuseParser(headers: IncomingHttpHeaders): undefined {
  if (readParserHeaders(headers))
    throw validationError({ path: PARSER_HEADER, message: 'is for telemetry; send a JSON object without it' })
}
