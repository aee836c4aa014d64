/** Users of an etcd of a test. */
import type { Etcd3 } from 'etcd3';

/** Makes `root`, and `agent` who may do all under `prefix` and nothing else, and has users asked for. */
export async function enableUsers(client: Etcd3, prefix: string): Promise<void> {
  const key = Buffer.from(prefix);
  for (const name of ['root', 'agent']) {
    await client.auth.userAdd({ name, password: `password of ${name}` });
    await client.auth.roleAdd({ name });
    await client.auth.userGrantRole({ user: name, role: name });
  }
  const perm = { permType: 'Readwrite', key, range_end: Buffer.from(prefix.replace(/\/$/, '0')) } as const;
  await client.auth.roleGrantPermission({ name: 'agent', perm });
  await client.auth.authEnable();
}
