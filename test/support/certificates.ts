/** Certificates for tests, made by certificates/make.sh. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './cli.ts';

export type CertificateName = 'server' | 'other-name' | 'expired' | 'self-signed' | 'client';

/** The file of a certificate, or of the key that goes with it. */
export function certificateFile(name: CertificateName | 'ca', part: 'pem' | 'key.pem' = 'pem'): string {
  return path.join(ROOT, 'test', 'support', 'certificates', `${name}.${part}`);
}

/** Its authority; `server`, `other-name`, `expired` and `client` are signed by it. */
export const TEST_CA = readFileSync(certificateFile('ca'), 'utf8');

export function certificate(name: CertificateName): { cert: string; key: string } {
  return {
    cert: readFileSync(certificateFile(name), 'utf8'),
    key: readFileSync(certificateFile(name, 'key.pem'), 'utf8'),
  };
}
