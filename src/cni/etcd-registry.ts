/** The store that a configuration names. */
import { readFile } from 'node:fs/promises';
import { EndpointWriter } from '../etcd/endpoint-writer.ts';
import { CniError, errorCodes } from './cni-error.ts';
import type { Configuration } from './configuration.ts';
import type { EndpointRegistry } from './endpoint-registry.ts';

/** How long a member may take, and all of them together. A runtime waits longer. */
const times = { dialTimeout: 3000, callTimeout: 10_000 };

/**
 * Opens the store.
 *
 * @throws CniError if a file cannot be read
 */
export async function openRegistry(configuration: Configuration): Promise<EndpointRegistry> {
  const { etcd_ca_cert_file, etcd_cert_file, etcd_key_file, etcd_username, etcd_password } = configuration;
  return new EndpointWriter({
    endpoints: configuration.etcd_endpoints,
    prefix: configuration.prefix,
    requireLeader: true,
    ...times,
    ...(etcd_ca_cert_file !== undefined && {
      tls: {
        ca: await pem('etcd_ca_cert_file', etcd_ca_cert_file),
        ...(etcd_cert_file !== undefined && { cert: await pem('etcd_cert_file', etcd_cert_file) }),
        ...(etcd_key_file !== undefined && { key: await pem('etcd_key_file', etcd_key_file) }),
      },
    }),
    ...(etcd_username !== undefined && { username: etcd_username }),
    ...(etcd_password !== undefined && { password: etcd_password }),
  });
}

async function pem(field: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new CniError(
      errorCodes.invalidConfiguration,
      `${file} cannot be read. Mend '${field}' in the network configuration, or the file.`,
      String(error),
    );
  }
}
