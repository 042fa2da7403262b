/** The certificate and the key that a coordinator listens with, looked at before anything is started. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import net from 'node:net';
import { createSecureContext } from 'node:tls';
import { readPemFile } from '../shared/domain/tls-files.ts';
import { BroadsideError, messageOf } from '../shared/errors.ts';

export interface TlsPair {
  /** PEM, with the chain. */
  cert: string;
  key: string;
}

/**
 * @returns undefined where neither file is given
 * @throws BroadsideError USAGE, FILE_UNREADABLE
 */
export function readTlsPair(certFile: string | undefined, keyFile: string | undefined): TlsPair | undefined {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    const [given, missing] = certFile === undefined ? ['key', 'cert'] : ['cert', 'key'];
    throw new BroadsideError('USAGE', `--tls-${given}: --tls-${missing} is missing; the two go together`);
  }
  const pair = { cert: readPemFile(certFile), key: readPemFile(keyFile) };
  const certificate = certificateOf(pair.cert, certFile);
  const key = privateKeyOf(pair.key, keyFile);
  if (!certificate.checkPrivateKey(key)) {
    throw new BroadsideError('USAGE', `--tls-key ${keyFile}: is not the key of ${certFile}`);
  }
  if (Date.parse(certificate.validTo) < Date.now()) {
    throw new BroadsideError(
      'USAGE',
      `--tls-cert ${certFile}: has expired on ${certificate.validTo}, and nobody would trust it`,
    );
  }
  try {
    createSecureContext(pair);
  } catch (cause) {
    throw new BroadsideError('USAGE', `--tls-cert ${certFile}: cannot be used: ${messageOf(cause)}`, {
      cause,
    });
  }
  return pair;
}

function certificateOf(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new BroadsideError('USAGE', `--tls-cert ${file}: has no certificate in PEM form`, { cause });
  }
}

function privateKeyOf(pem: string, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    const encrypted = /ENCRYPTED/.test(pem);
    throw new BroadsideError(
      'USAGE',
      `--tls-key ${file}: ${encrypted ? 'is locked by a passphrase' : 'has no private key in PEM form'}`,
      { ...(encrypted && { hint: 'unlock it: openssl pkey -in FILE -out UNLOCKED' }), cause },
    );
  }
}

/** Whether a certificate is for that name or address. */
export function isFor({ cert }: TlsPair, host: string): boolean {
  const certificate = new X509Certificate(cert);
  const named = net.isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  return named !== undefined;
}

/** What it is for, as its certificate says. */
export function namesOf({ cert }: TlsPair): string {
  const { subjectAltName, subject } = new X509Certificate(cert);
  return subjectAltName ?? subject;
}
