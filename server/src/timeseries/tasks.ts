import { DELETE_SAMPLES, type DeletedSeries } from '../assets/records/remove-asset.ts'
import type { Context } from '../context.ts'
import type { Tasks } from '../jobs/jobs.ts'
import { deleteSamples } from './storage/delete-samples.ts'

export const timeseriesTasks = ({ pool }: Pick<Context, 'pool'>): Tasks => ({
  [DELETE_SAMPLES]: (payload) => deleteSamples(pool, payload as DeletedSeries),
})
