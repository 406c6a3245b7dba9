/**
 * Measures what an enrolment costs. It is more than a signature: the request has to be verified, which is dearer than a
 * signature, and the device has to come over TLS. An empty route over TLS bounds what any server could reach here.
 *
 * The goal cannot be reached here with TLS: reading and verifying a request, encoding and signing a certificate, and HTTP
 * over an open connection cost 14 signatures without any database, and the rows without an enrolment show their rates on
 * this machine. Ratios stray on a busy machine; `details` in the JSON file have the CPU time of each process.
 */
import type { BenchCase } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { compare } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { startEnrollingFleet } from '../platform/enrolling-fleet.ts'
import { createEnrollmentGroup } from '../platform/onboarding.ts'
import { startPlatform } from '../platform/start.ts'
import type { EmptyRouteProgram } from '../programs/empty-route.ts'
import type { SignaturesProgram } from '../programs/signatures.ts'

const DEVICES = 2000
const CONNECTIONS = 100
const ROUNDS = 3
const SIGN_SECONDS = 2

export const enrol: BenchCase = {
  name: 'enrol',
  about: 'certificates for new devices over EST, against bare ECDSA signatures and an empty route over TLS',
  maxSeconds: 600,
  async run(bench) {
    const platform = await bench.use(startPlatform(bench))
    const group = await createEnrollmentGroup(platform)
    await platform.api().patch(`/api/enrollment-groups/${group.id}/certificates`, { enabled: true })
    const server = platform.server()
    const emptyServer = await bench.use(startProgram<EmptyRouteProgram>('empty-route'))
    const est = { url: `${server.endpoints.https}/.well-known/est/${group.id}/simpleenroll`, server }
    const empty = { url: `${await emptyServer.call('listenOverTls')}/simpleenroll`, server: emptyServer }
    const signatures = await bench.use(startProgram<SignaturesProgram>('signatures'))
    const options = { group, devices: DEVICES, connections: CONNECTIONS }
    const fleet = await startEnrollingFleet(bench, platform, options)

    for (const target of [est, empty]) await fleet.enroll({ ...target, name: 'warm-up', isOnNew: false })
    const measured = await interleave(bench, ROUNDS, {
      kept: () => fleet.enroll({ ...est, name: 'kept', isOnNew: false }),
      new: () => fleet.enroll({ ...est, name: 'new', isOnNew: true }),
      emptyKept: () => fleet.enroll({ ...empty, name: 'emptyKept', isOnNew: false }),
      emptyNew: () => fleet.enroll({ ...empty, name: 'emptyNew', isOnNew: true }),
      verifiedAndSigned: () => signatures.call('verifyAndSign', SIGN_SECONDS),
      certificates: () => signatures.call('signCertificates', SIGN_SECONDS),
      signed: () => signatures.call('signBare', SIGN_SECONDS),
    })
    const compareWith = (name: string, rounds: number[]) => (measure: string, of: keyof typeof measured) =>
      compare({
        measure,
        unit: '/s',
        better: 'more',
        rounds: measured[of],
        baseline: { name, rounds },
        details: fleet.listCosts(of),
      })
    const withSignature = compareWith('crypto.sign alone', measured.signed)
    const [kept, one] = [`${CONNECTIONS} kept connections`, 'a handshake each']
    return [
      { ...withSignature(`enrolments, ${kept}`, 'kept'), goal: { ratioAtLeast: 0.3 } },
      withSignature(`enrolments, ${one}`, 'new'),
      withSignature('requests verified and certificates signed', 'verifiedAndSigned'),
      withSignature('certificates encoded and signed', 'certificates'),
      withSignature(`empty requests, ${kept}`, 'emptyKept'),
      withSignature(`empty requests, ${one}`, 'emptyNew'),
      compareWith('empty requests', measured.emptyKept)(`enrolments, ${kept}`, 'kept'),
      compareWith('empty requests', measured.emptyNew)(`enrolments, ${one}`, 'new'),
    ]
  },
}
