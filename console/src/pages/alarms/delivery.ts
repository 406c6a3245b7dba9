import type { Answer } from '@gangway/client'

export const deliveriesRoute = '/v1/notifications/{notificationId}/deliveries'

export type Delivery = Answer<'get', typeof deliveriesRoute>[number]

/** A delivery with the name of its notification. */
export interface NamedDelivery extends Delivery {
  notificationId: string
  notificationName: string
}
