/** Aggregations of the values of a time span, for queries and for charts on dashboards. */
export const aggregationTypes = ['avg', 'min', 'max', 'first', 'last', 'sum', 'median'] as const
export type AggregationType = (typeof aggregationTypes)[number]
