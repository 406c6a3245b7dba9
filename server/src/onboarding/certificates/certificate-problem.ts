/** Why a certificate is not accepted: the end of a sentence that begins with its name, without a full stop. */
export class CertificateProblem extends Error {
  override name = 'CertificateProblem'
}
