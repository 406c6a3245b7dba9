/** The nonce of this page, which style elements made by scripts must have. The server writes it into the page. */
export const cspNonce = () =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
