/** Certificates for an etcd of a test, and for those who speak to it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

/**
 * Makes an authority (`ca.crt`), a certificate of it for the loopback address (`m.crt`, `m.key`), and another authority
 * (`other.crt`). Needs `openssl`.
 */
export async function makeCertificates(folder: string): Promise<void> {
  const openssl = (...args: readonly string[]) => execa('openssl', args, { cwd: folder });
  const key = ['-newkey', 'rsa:2048', '-nodes'];
  for (const name of ['ca', 'other']) {
    await openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.crt`,
      '-subj',
      `/CN=${name}`,
    );
  }
  await openssl('req', ...key, '-keyout', 'm.key', '-out', 'm.csr', '-subj', '/CN=member');
  await writeFile(join(folder, 'm.ext'), 'subjectAltName=IP:127.0.0.1');
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'm.ext', '-days', '2'];
  await openssl('x509', '-req', '-in', 'm.csr', '-out', 'm.crt', ...signed);
}
