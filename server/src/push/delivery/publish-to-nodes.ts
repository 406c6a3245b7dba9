/**
 * Publishes samples to the nodes that want them, to each by a subject of its own. A batch has samples of many owners, so
 * that subjects of owners or buckets would make of it hundreds of messages; so it is one for each node, or a few. A node that has just
 * joined publishes to all, because it does not know yet what they want.
 */
import { dropIfStuck } from '../../lib/nats.ts'
import type { StoredSample } from '../../timeseries/storage/stored-sample.ts'
import { type Buckets, findBucket, findBuckets, hasBucket } from './interest.ts'
import { allSubject, isLearning, type Relay, samplesSubject } from './relay-state.ts'

const SAMPLES_PER_MESSAGE = 500

/** What a node wants of a tenant. */
interface Wish {
  /** The subject of the node's samples. */
  subject: string
  buckets: Buckets
}

export function publishToNodes(relay: Relay, samples: StoredSample[]): void {
  const selected = isLearning(relay) ? selectForAll(relay, samples) : selectByNode(relay, samples)
  for (const [subject, texts] of selected)
    for (let at = 0; at < texts.length; at += SAMPLES_PER_MESSAGE) {
      if (dropIfStuck(relay.nats)) relay.isLost = true
      if (relay.isLost) return
      publishInParts(relay, subject, texts.slice(at, at + SAMPLES_PER_MESSAGE))
    }
}

const selectForAll = (relay: Relay, samples: StoredSample[]): Map<string, string[]> =>
  new Map([[allSubject(relay), samples.map((sample) => JSON.stringify(sample))]])

/** @returns samples as JSON by the subject of a node, each written only once however many nodes want it */
function selectByNode(relay: Relay, samples: StoredSample[]): Map<string, string[]> {
  const selected = new Map<string, string[]>()
  let tenantId: string | undefined
  let ownerId: string | undefined
  let ofTenant: Wish[] = []
  let ofOwner: Wish[] = []
  for (const sample of samples) {
    // Samples of one tenant, and of one owner, mostly follow each other.
    if (sample.tenantId !== tenantId) {
      ofTenant = findWishes(relay, (tenantId = sample.tenantId))
      ownerId = undefined
    }
    if (ofTenant.length === 0) continue
    if (sample.ownerId !== ownerId) {
      const bucket = findBucket((ownerId = sample.ownerId))
      ofOwner = ofTenant.filter(({ buckets }) => hasBucket(buckets, bucket))
    }
    if (ofOwner.length === 0) continue
    const text = JSON.stringify(sample)
    for (const { subject } of ofOwner) {
      const texts = selected.get(subject)
      if (texts) texts.push(text)
      else selected.set(subject, [text])
    }
  }
  return selected
}

function findWishes(relay: Relay, tenantId: string): Wish[] {
  const wishes: Wish[] = []
  for (const [nodeId, { interest }] of relay.nodes) {
    const buckets = findBuckets(interest, tenantId)
    if (buckets) wishes.push({ subject: samplesSubject(relay, nodeId), buckets })
  }
  return wishes
}

function publishInParts(relay: Relay, subject: string, texts: string[]): void {
  const { ctx, nats } = relay
  const payload = Buffer.from(`[${texts.join()}]`)
  if (payload.length <= nats.info!.max_payload) return nats.publish(subject, payload)
  if (texts.length === 1)
    return ctx.log.warn(
      { bytes: payload.length },
      'a value is too large for NATS: other nodes do not push it',
    )
  const half = texts.length >> 1
  for (const part of [texts.slice(0, half), texts.slice(half)]) publishInParts(relay, subject, part)
}
