import type { Context } from '../../context.ts'
import { privilege } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { backtest } from './backtest.ts'
import { BacktestRequest, BacktestResult } from './schema.ts'

export const backtestRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/alarms/backtest',
    operationId: 'backtestAlarm',
    summary: 'Run a draft of an alarm over stored telemetry; nobody is notified',
    access: privilege('alarm_management'),
    body: BacktestRequest,
    response: { 200: BacktestResult },
    handler: ({ body, caller }) => backtest(ctx, caller, body),
  }),
]
