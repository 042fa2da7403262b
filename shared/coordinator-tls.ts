/** How workers and commands trust a coordinator that listens with TLS, and what they say when they do not. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BroadsideError, messageOf } from './errors.ts';

/** For the help of `--ca`. */
export const CA_HELP =
  "https: PEM file of the authority that signed the coordinator's certificate (default: those that Node knows)";

/**
 * The text of the file of `--ca`: only what its certificates signed is trusted then.
 * @throws BroadsideError FILE_UNREADABLE, USAGE when there is no certificate in it
 */
export function readAuthority(path: string): string {
  let pem: string;
  try {
    pem = readFileSync(path, 'latin1');
  } catch (cause) {
    throw new BroadsideError('FILE_UNREADABLE', `--ca ${path}: cannot be read: ${messageOf(cause)}`, {
      cause,
    });
  }
  try {
    new X509Certificate(pem);
  } catch (cause) {
    throw new BroadsideError('USAGE', `--ca ${path}: has no certificate in PEM form`, {
      hint: 'expected a file that begins with -----BEGIN CERTIFICATE-----',
      cause,
    });
  }
  return pem;
}

/**
 * Who names an authority does not want the token to go out in clear.
 * @throws BroadsideError USAGE
 */
export function checkAuthority(coordinator: URL, ca: string | undefined): void {
  if (ca === undefined || coordinator.protocol === 'https:') return;
  throw new BroadsideError('USAGE', `--ca: ${coordinator.origin} has no certificate to be checked`, {
    hint: `name the coordinator as https://${coordinator.host}, or leave --ca out`,
  });
}

const UNKNOWN_AUTHORITY =
  'give the certificate of the authority that signed it with --ca FILE (one that signed itself is its own authority), or in $NODE_EXTRA_CA_CERTS';
const ITS_TIME = 'renew it on the coordinator, or set the clock of this machine right';

const HINTS: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  CERT_UNTRUSTED: UNKNOWN_AUTHORITY,
  CERT_REJECTED: UNKNOWN_AUTHORITY,
  INVALID_CA: UNKNOWN_AUTHORITY,
  INVALID_PURPOSE: 'give the coordinator a certificate for servers',
  CERT_HAS_EXPIRED: ITS_TIME,
  CERT_NOT_YET_VALID: ITS_TIME,
  ERR_TLS_CERT_ALTNAME_INVALID: 'name the coordinator in the URL as its certificate does',
};
/** By OpenSSL's words: the code of them all may be EPROTO, also of a handshake that was refused. */
const NO_TLS = /wrong.version.number|packet.length.too.long|http.request/i;

/**
 * What to say of a connection that failed because the coordinator's certificate is not trusted, or because there is no
 * TLS at all: dialling again would not help. Undefined for any other failure.
 */
export function tlsProblem(error: unknown, coordinator: URL): BroadsideError | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  const at = coordinator.origin;
  if (coordinator.protocol === 'https:' && NO_TLS.test(`${code} ${messageOf(error)}`)) {
    return new BroadsideError('CERTIFICATE_REFUSED', `what answers at ${at} speaks no TLS`, {
      hint: `does it listen without --tls-cert? Then its URL is http://${coordinator.host}`,
      cause: error,
    });
  }
  const hint = HINTS[code];
  if (hint === undefined) return undefined;
  return new BroadsideError(
    'CERTIFICATE_REFUSED',
    `the certificate of the coordinator at ${at} is not trusted: ${messageOf(error)}`,
    { hint, cause: error },
  );
}

/** What a server that speaks TLS does to a request without. */
const HUNG_UP = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|HPE_.*)$/;

/** Where that may be it: what else to look at. */
export function mayWantTls(error: unknown, coordinator: URL): string | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (coordinator.protocol !== 'http:' || !HUNG_UP.test(code)) return undefined;
  return `if it listens with --tls-cert, its URL is https://${coordinator.host}`;
}
