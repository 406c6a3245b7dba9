/** Identifies a device by the certificate of its manufacturer (tier 3). [docs/certificates#manufacturer-certificates] */
import { X509Certificate } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import { isDeviceId } from '../../../http/page.ts'
import { DerError } from '../../../lib/der/read-der.ts'
import type { FindEnrollments } from '../../settings/find-enrollments.ts'
import type { SignInFailures } from '../../sign-in-failures.ts'
import type { Attempts } from '../../trace/attempts.ts'
import { endWithError } from '../../trace/end-with-error.ts'
import { type AttemptTrail, startAttempt } from '../../trace/start-attempt.ts'
import { CertificateProblem } from '../certificate-problem.ts'
import { sha256 } from '../key-algorithms.ts'
import type { ReadTrusted } from '../manufacturer/read-trusted.ts'
import { listNamedIds, verifyManufacturerChain } from '../manufacturer/verify-chain.ts'
import { type EnrollingDevice, notRegistered, refuse } from './enrolling-device.ts'
import { type EnrollingGroup, findEnrollingGroups, listGroupsOfDevice } from './find-group.ts'
import type { PeerCertificate } from './peer-certificate.ts'
import { requireEnrollment } from './require-enrollment.ts'

export interface ManufacturerParts {
  db: Kysely<Tables>
  attempts: Pick<Attempts, 'record'>
  failures: SignInFailures
  findEnrollments: FindEnrollments
  readTrusted: ReadTrusted
}

export interface Presented {
  peer: PeerCertificate
  /** The group that the path names; undefined if it names none. */
  groupId: string | undefined
  address: string
}

/** @throws unauthorized, forbidden, enrollment_group_disabled, rate_limited */
export async function identifyByManufacturer(
  parts: ManufacturerParts,
  presented: Presented,
): Promise<EnrollingDevice> {
  const { peer, address } = presented
  const ids = readIds(peer.leaf)
  const trail = startAttempt(parts.attempts, { kind: 'certificate', deviceId: ids[0] ?? '', address })
  try {
    return await identify(parts, presented, { ids, trail })
  } catch (error) {
    // Most errors have ended the attempt already.
    endWithError(trail, error)
    throw error
  }
}

interface Claim {
  /** The ids that the certificate names, before it is verified. */
  ids: string[]
  trail: AttemptTrail
}

async function identify(
  { db, failures, findEnrollments, readTrusted }: ManufacturerParts,
  { peer, groupId, address }: Presented,
  { ids, trail }: Claim,
): Promise<EnrollingDevice> {
  const claim = { address, name: sha256(peer.leaf).toString('hex') }
  failures.requireFew(claim)
  const groupIds = groupId ? [groupId] : await findCandidates(trail, ids, findEnrollments)
  const groups = await findEnrollingGroups(db, groupIds)
  if (groupId && groups[0]) trail.assignUnproven({ tenantId: groups[0].tenantId, groupId })
  const { group, problem } = findTrustingGroup(trail, groups, (each) =>
    verifyManufacturerChain({ ...peer, trusted: readTrusted(each) }),
  )
  if (!group) {
    failures.record(claim)
    throw refuseChain(trail, peer, problem)
  }
  trail.assign({ tenantId: group.tenantId, groupId: group.id })
  trail.step('manufacturer_certificate_accepted')
  const deviceId = await findRegistered(db, ids, group.id)
  if (deviceId === undefined) throw notRegistered(trail, ids.join(' or '))
  const settings = requireEnrollment(trail, group, { pathGroupId: groupId, tier: 3 })
  const identity = { deviceId, tenantId: group.tenantId, groupId: group.id, presentedId: null, keyId: null }
  return { ...identity, tier: 3, settings, isExpired: false, trail }
}

/** Groups of one device without a group in the path. Verifying a chain for each of them takes time. */
const MAX_CANDIDATES = 10

async function findCandidates(trail: AttemptTrail, ids: string[], findEnrollments: FindEnrollments) {
  const enrollments = (await Promise.all(ids.map(findEnrollments))).flat()
  const groupIds = [...new Set(enrollments.map((each) => each.groupId))]
  if (groupIds.length > MAX_CANDIDATES) throw severalGroups(trail)
  return groupIds
}

const severalGroups = (trail: AttemptTrail) =>
  refuse(trail, {
    code: 'forbidden',
    step: 'other_group',
    message: 'The device is in several enrollment groups. Name the group in the path.',
  })

/** The ids that the certificate claims to be, before it is verified. */
function readIds(leaf: Buffer): string[] {
  try {
    return listNamedIds(leaf).filter(isDeviceId).slice(0, 4)
  } catch (error) {
    if (error instanceof DerError) return []
    throw error
  }
}

/** @param verify throws CertificateProblem @returns why no group trusts the chain, if none does */
function findTrustingGroup(
  trail: AttemptTrail,
  groups: EnrollingGroup[],
  verify: (group: EnrollingGroup) => void,
): { group?: EnrollingGroup; problem: string } {
  let problem = 'is not of a device that is registered here'
  const trusting: EnrollingGroup[] = []
  for (const group of groups)
    try {
      verify(group)
      trusting.push(group)
    } catch (error) {
      if (!(error instanceof CertificateProblem)) throw error
      problem = error.message
    }
  // Another tenant may trust the same manufacturer, and have a device of the same name.
  const enabled = trusting.filter(({ status, settings }) => status === 'enabled' && settings?.enabled)
  if (enabled.length > 1) throw severalGroups(trail)
  const group = enabled[0] ?? trusting[0]
  return { ...(group && { group }), problem }
}

function refuseChain(trail: AttemptTrail, { leaf }: PeerCertificate, problem: string) {
  const { subject } = new X509Certificate(leaf)
  const name = subject?.replaceAll('\n', ', ').slice(0, 200) ?? ''
  return refuse(trail, {
    code: 'unauthorized',
    step: 'manufacturer_certificate_refused',
    message: `The client certificate "${name}" ${problem}.`,
  })
}

async function findRegistered(db: Kysely<Tables>, ids: string[], groupId: string) {
  for (const id of ids) if ((await listGroupsOfDevice(db, id, [groupId])).length > 0) return id
  return undefined
}
