/** What the command line says of etcd, looked over before anything is begun. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Design } from '../../models/index.ts';
import { storeOptionsOf } from '../agent/store-options.ts';
import { calicoPrefix } from '../etcd/endpoint-keys.ts';
import type { StoreOptions } from '../etcd/options.ts';
import { reasonOf } from '../reason-of.ts';
import type { AgentCommandOptions } from './agent.ts';
import { UsageError } from './usage-error.ts';

/**
 * How the store is reached.
 *
 * @throws UsageError for what cannot work
 */
export function storeArguments(options: AgentCommandOptions, design: Design, node: string): StoreOptions {
  const endpoints = options.etcdEndpoints.split(',').map((each) => endpointOf(each.trim()));
  const tls = tlsOf(options);
  const plain = endpoints.find((each) => each.startsWith('http:'));
  if (tls !== undefined && plain !== undefined)
    throw new UsageError(
      `--etcd-endpoints: '${plain}' is spoken to in plain text, and --etcd-ca-cert-file is given. Write https://, or leave the certificates out.`,
    );
  const { etcdUsername: username, etcdPassword: password } = options;
  if ((username === undefined) !== (password === undefined))
    throw new UsageError('--etcd-username and --etcd-password go together. Give both, or none.');
  const { prefix = calicoPrefix } = options;
  if (!prefix.endsWith('/'))
    throw new UsageError(
      `--prefix '${prefix}': expected a prefix that ends with '/', as the plugin's does: what stands behind it is read as <namespace>/<name>.`,
    );
  return {
    ...{ endpoints, node, prefix },
    ...(tls === undefined ? {} : { tls }),
    ...(username === undefined || password === undefined ? {} : { username, password }),
    dialTimeout: options.dialTimeout * options.timeScale * 1000,
    ...storeOptionsOf(design),
  };
}

/** The connection takes a host and a port; what else a URL can hold would be left out without a word. */
function endpointOf(text: string): string {
  const expected = 'Write http://host:port, or https://host:port.';
  // Whoever gets this wrong may have written a password.
  const place = `--etcd-endpoints: '${text.replace(/\/\/.*@/s, '//…@')}'`;
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text))
    throw new UsageError(`${place} is no URL. ${expected}`);
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw new UsageError(
      `${place} has a user or a password in it. ${expected} Give them by --etcd-username and --etcd-password.`,
    );
  const rest = `${url.pathname === '/' ? '' : url.pathname}${url.search}${url.hash}`;
  if (rest !== '')
    throw new UsageError(
      `${place} has '${rest}' after the host and the port. ${expected} Where the keys are is --prefix.`,
    );
  // A URL leaves out a port that is its scheme's own.
  const port = /:(\d+)\/?$/.exec(text)?.[1];
  if (port === undefined) throw new UsageError(`${place} has no port. ${expected} etcd's own is 2379.`);
  return `${url.protocol}//${url.hostname}:${port}`;
}

function tlsOf(options: AgentCommandOptions): StoreOptions['tls'] {
  const { etcdCaCertFile: ca, etcdCertFile: cert, etcdKeyFile: key } = options;
  if ((cert === undefined) !== (key === undefined))
    throw new UsageError('--etcd-cert-file and --etcd-key-file go together. Give both, or none.');
  if (cert !== undefined && ca === undefined)
    throw new UsageError(
      '--etcd-cert-file needs --etcd-ca-cert-file, the certificate that etcd is known by.',
    );
  if (ca === undefined) return undefined;
  const trusted = certificate('--etcd-ca-cert-file', ca);
  if (cert === undefined || key === undefined) return { ca: trusted };
  const own = certificate('--etcd-cert-file', cert);
  const secret = contents('--etcd-key-file', key);
  if (!matches(own, secret, key))
    throw new UsageError(
      `--etcd-key-file ${key}: it is not the key of the certificate in ${cert}. Give the two that were made together.`,
    );
  return { ca: trusted, cert: own, key: secret };
}

/** gRPC takes for no certificate at all what it cannot read, and says nothing: the agent would try for ever. */
function certificate(option: string, file: string): Buffer {
  const read = contents(option, file);
  const blocks = read.toString('latin1').match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs);
  try {
    if (blocks === null) throw new Error("there is no '-----BEGIN CERTIFICATE-----' in it");
    for (const block of blocks) new X509Certificate(block);
  } catch (error) {
    throw new UsageError(`${option} ${file}: it is no certificate (${reasonOf(error)}). Give one in PEM.`);
  }
  return read;
}

function matches(certificateText: Buffer, keyText: Buffer, file: string): boolean {
  try {
    return new X509Certificate(certificateText).checkPrivateKey(createPrivateKey(keyText));
  } catch (error) {
    throw new UsageError(
      `--etcd-key-file ${file}: it is no private key (${reasonOf(error)}). Give one in PEM, without a passphrase.`,
    );
  }
}

function contents(option: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`${option} ${file}: it cannot be read (${reasonOf(error)}). Name a file in PEM.`);
  }
}
