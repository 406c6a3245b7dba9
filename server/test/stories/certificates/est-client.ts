/** The three clients of the certificate story. Each leaves a private key and a certificate in files, PEM. */
export interface EstTarget {
  estUrl: string
  /** File with the authority of the server's own certificate, PEM. */
  caFile: string
  deviceId: string
  /** Bootstrap key or derived key. */
  key: string
  /** An empty directory of the device. */
  directory: string
}

export interface CertificateFiles {
  certFile: string
  keyFile: string
}

export interface EstClient {
  name: string
  /** Why it cannot run here. */
  missing?: string
  enroll(target: EstTarget): Promise<CertificateFiles>
  renew(target: EstTarget, current: CertificateFiles): Promise<CertificateFiles>
}
