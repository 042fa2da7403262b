/**
 * How connections to the targets are made: `dns` and `tls` of a scenario. In a file certificates and keys are files;
 * who reads the scenario puts their text in the place of their names (`caPem` for `ca`), for they lie beside the
 * scenario and not at the coordinator or the workers.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { z } from 'zod';
import { messageOf } from '../errors.ts';
import { field, flag, mapping, oneOf, Refusal, refuse } from './fields.ts';
import { show } from './problem.ts';

export interface TlsPlan {
  /** Take any certificate. */
  insecure: boolean;
  /** Certificate authorities (PEM) that are believed instead of the well-known ones. */
  ca?: string;
  /** The client's own certificate, and its key; both or none (PEM). */
  cert?: string;
  key?: string;
  /** Name asked for (SNI) and looked for in the certificate; absent: the host of the URL. */
  serverName?: string;
  /** Offer new connections the last session of their address, which saves them most of the handshake. */
  resume: boolean;
}

export interface TransportPlan {
  /** `once`: a worker looks the name up once a trial. `per-connection`: before each connect. */
  dns: 'once' | 'per-connection';
  /** For https targets. */
  tls?: TlsPlan;
}

export const dns = oneOf('once', 'per-connection').default('once');

/** The keys of `tls` that name a file, and the keys that hold its text. */
export const TLS_FILES = { ca: 'caPem', cert: 'certPem', key: 'keyPem' } as const;

const file = field((value): undefined | Refusal => {
  if (typeof value !== 'string' || value === '') return refuse(value, 'the name of a PEM file');
  return new Refusal(
    'a file can be named only in a scenario file that `coordinator run` or `validate` reads; ' +
      'here give its text as "caPem", "certPem" or "keyPem"',
  );
});

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const certificates = field((value) => {
  const expected = 'the text of certificates in PEM form (-----BEGIN CERTIFICATE-----)';
  if (typeof value !== 'string') return refuse(value, expected);
  const found = value.match(CERTIFICATE);
  if (found === null) return new Refusal(`there is no certificate in it; expected ${expected}`);
  for (const pem of found) {
    const read = attempt(() => new X509Certificate(pem));
    if (read instanceof Refusal) return new Refusal(`a certificate in it cannot be read: ${read.message}`);
  }
  return value;
});

const privateKey = field((value) => {
  const expected = 'the text of a private key in PEM form (-----BEGIN PRIVATE KEY-----)';
  if (typeof value !== 'string') return refuse(value, expected);
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(value))
    return new Refusal(`there is no private key in it; expected ${expected}`);
  if (/ENCRYPTED/.test(value)) {
    return new Refusal('the key has a passphrase; take it off, as with: openssl pkey -in KEY -out PLAIN');
  }
  const read = attempt(() => createPrivateKey(value));
  return read instanceof Refusal ? new Refusal(`the key in it cannot be read: ${read.message}`) : value;
});

const serverName = field((value) => {
  const expected = 'a host name such as www.example.com';
  if (typeof value !== 'string' || !/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(value))
    return refuse(value, expected);
  // RFC 6066, 3: literal addresses are not permitted.
  return isIP(value) === 0 ? value : new Refusal(`${show(value)} is an address; expected ${expected}`);
});

export const tls = mapping(
  {
    insecure: flag.default(false),
    ca: file.optional(),
    cert: file.optional(),
    key: file.optional(),
    caPem: certificates.optional(),
    certPem: certificates.optional(),
    keyPem: privateKey.optional(),
    serverName: serverName.optional(),
    resume: flag.default(true),
  },
  '{ ca: lab-ca.pem }',
).superRefine(({ certPem, keyPem }, context) => {
  const refuseAt = (key: string, message: string) =>
    context.addIssue({ code: 'custom', message, path: [key] });
  if (certPem !== undefined && keyPem === undefined)
    refuseAt('certPem', 'a client certificate needs its key; add "key"');
  if (certPem === undefined && keyPem !== undefined)
    refuseAt('keyPem', 'a key needs its client certificate; add "cert"');
  if (certPem === undefined || keyPem === undefined) return;
  const first = certPem.match(CERTIFICATE)![0];
  if (!new X509Certificate(first).checkPrivateKey(createPrivateKey(keyPem)))
    refuseAt('keyPem', 'the key does not belong to the certificate');
});
export type TlsSpec = z.output<typeof tls>;

/** The transport to one target; undefined where nothing differs from plain connections and one lookup. */
export function transportPlan(
  spec: { dns: TransportPlan['dns']; tls?: TlsSpec | undefined },
  https: boolean,
): TransportPlan | undefined {
  if (!https) return spec.dns === 'once' ? undefined : { dns: spec.dns };
  const { insecure = false, resume = true, caPem, certPem, keyPem, serverName: name } = spec.tls ?? {};
  return {
    dns: spec.dns,
    tls: {
      insecure,
      resume,
      ...(caPem !== undefined && { ca: caPem }),
      ...(certPem !== undefined && { cert: certPem }),
      ...(keyPem !== undefined && { key: keyPem }),
      ...(name !== undefined && { serverName: name }),
    },
  };
}

function attempt<T>(read: () => T): T | Refusal {
  try {
    return read();
  } catch (error) {
    return new Refusal(messageOf(error));
  }
}
