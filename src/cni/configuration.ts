/** The network configuration that the runtime writes to standard input, and the environment that it calls with. */
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { calicoPrefix } from '../etcd/endpoint-keys.ts';
import { unfitForPod } from '../etcd/pod-address.ts';
import { reasonOf } from '../reason-of.ts';
import { defaultClaimsDirectory } from './claims.ts';
import { CniError, errorCodes } from './cni-error.ts';
import { orders } from './steps.ts';

/** The versions of the specification that the plugin answers in. CHECK came with 0.4.0. */
export const supportedVersions = ['0.3.1', '0.4.0', '1.0.0'] as const;

/** One of them. */
export type CniVersion = (typeof supportedVersions)[number];

const url = z
  .string()
  .trim()
  .regex(/^https?:\/\/[^\s/,]+\/?$/, {
    error: "expected URLs of the store's members, 'https://10.0.0.1:2379'",
  });
const file = z.string().refine(isAbsolute, { error: 'expected an absolute path' });

// An address, and the length that the plugin routes whatever was given with it.
const address = z
  .union([z.ipv4(), z.cidrv4()], { error: 'expected one IPv4 address, and no IPv6' })
  .transform((text, context) => {
    const [each = ''] = text.split('/');
    const unfit = unfitForPod(each);
    if (unfit === undefined) return `${each}/32`;
    context.addIssue({
      code: 'custom',
      message: `expected an address that a pod can have, found ${each}, ${unfit}`,
    });
    return z.NEVER;
  });

/** A result, as far as it is read: of the plugin for addresses, or of an earlier ADD. */
export const resultSchema = z.looseObject({
  interfaces: z.array(z.looseObject({ name: z.string(), sandbox: z.string().optional() })).default([]),
  ips: z.array(z.looseObject({ address, interface: z.number().optional() })).min(1),
  dns: z.looseObject({}).optional(),
});

/** A result that was read. */
export type ReadResult = z.infer<typeof resultSchema>;

const schema = z
  .strictObject({
    cniVersion: z.enum(supportedVersions),
    name: z.string().min(1),
    type: z.string().min(1),
    nodename: z
      .string()
      .regex(/^[a-zA-Z0-9][a-zA-Z0-9.-]*$/, { error: "expected the node's name, without slashes" })
      .optional(),
    etcd_endpoints: z
      .string()
      .transform((text) => text.split(','))
      .pipe(z.array(url)),
    etcd_ca_cert_file: file.optional(),
    etcd_cert_file: file.optional(),
    etcd_key_file: file.optional(),
    etcd_username: z.string().min(1).optional(),
    etcd_password: z.string().optional(),
    prefix: z.string().regex(/\/$/, { error: "expected a prefix that ends with '/'" }).default(calicoPrefix),
    order: z.enum(orders).default('endpoint-first'),
    claims_dir: file.default(defaultClaimsDirectory),
    ipam: z
      .looseObject({
        type: z
          .string()
          .regex(/^[^/\s]+$/, { error: 'expected the name of a plugin, and no path' })
          .optional(),
      })
      .optional(),
    // What the runtime or the specification puts there, and what the plugin does not use.
    runtimeConfig: z.looseObject({ ips: z.array(address).max(1).optional() }).optional(),
    prevResult: z.unknown().optional(),
    capabilities: z.record(z.string(), z.boolean()).optional(),
    args: z.unknown().optional(),
    dns: z.looseObject({}).optional(),
    ipMasq: z.literal(false, { error: 'the plugin masks no addresses' }).optional(),
    disableCheck: z.boolean().optional(),
  })
  .refine((c) => (c.etcd_cert_file === undefined) === (c.etcd_key_file === undefined), {
    path: ['etcd_cert_file'],
    error: 'etcd_cert_file and etcd_key_file go together',
  })
  .refine((c) => c.etcd_cert_file === undefined || c.etcd_ca_cert_file !== undefined, {
    path: ['etcd_ca_cert_file'],
    error: 'a certificate needs the authority too',
  })
  .refine((c) => (c.etcd_username === undefined) === (c.etcd_password === undefined), {
    path: ['etcd_username'],
    error: 'etcd_username and etcd_password go together',
  });

/** A configuration that can be used. */
export type Configuration = z.infer<typeof schema>;

/**
 * Reads standard input as JSON and finds the version to answer in.
 *
 * @throws CniError
 */
export function decode(stdin: string): { readonly json: object; readonly cniVersion: CniVersion } {
  let json: unknown;
  try {
    json = JSON.parse(stdin);
  } catch (error) {
    throw new CniError(
      errorCodes.undecodable,
      'The network configuration on standard input is not JSON. Mend the file in /etc/cni/net.d.',
      reasonOf(error),
    );
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new CniError(
      errorCodes.undecodable,
      'The network configuration on standard input is no JSON object. Mend the file in /etc/cni/net.d.',
    );
  const given = 'cniVersion' in json ? json.cniVersion : undefined;
  const cniVersion = supportedVersions.find((version) => version === given);
  if (cniVersion === undefined)
    throw new CniError(
      errorCodes.incompatibleVersion,
      `The network configuration is of CNI version ${given === undefined ? '0.1.0, which it is if it says none' : String(given)}. Set 'cniVersion' to one of ${supportedVersions.join(', ')}.`,
    );
  return { json, cniVersion };
}

/**
 * Reads a configuration.
 *
 * @throws CniError that names the field
 */
export function readConfiguration(json: object): Configuration {
  // Keys with a domain's name are reserved for runtimes, which may add them unasked.
  const known = Object.fromEntries(Object.entries(json).filter(([key]) => !key.startsWith('cni.dev/')));
  const parsed = schema.safeParse(known);
  if (parsed.success) return parsed.data;
  const unknown = parsed.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys : [],
  );
  if (unknown.length > 0)
    throw new CniError(
      errorCodes.unsupportedField,
      `The plugin does not know ${unknown.map((key) => `'${key}'`).join(', ')} in the network configuration. Remove it; there are ${Object.keys(schema.shape).join(', ')}.`,
    );
  const [issue] = parsed.error.issues;
  throw new CniError(
    errorCodes.invalidConfiguration,
    `Mend '${issue?.path.join('.')}' in the network configuration: ${issue?.message}.`,
  );
}

/** What the environment says. */
export interface Call {
  readonly containerId: string;
  /** Empty if the sandbox is gone, which only DEL allows. */
  readonly netns: string;
  readonly ifName: string;
  readonly namespace: string;
  readonly pod: string;
  /** `IP` of CNI_ARGS, as a CIDR. */
  readonly address?: string;
  /** Where other plugins are. */
  readonly path: readonly string[];
}

/** What a plugin can be asked to do to a sandbox. */
export type SandboxCommand = 'ADD' | 'DEL' | 'CHECK';

// Names of Kubernetes' resources; also parts of a key and of a path.
const name = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;

/**
 * Reads the environment of ADD, DEL and CHECK.
 *
 * @throws CniError that names the variable
 */
export function readCall(command: SandboxCommand, env: NodeJS.ProcessEnv): Call {
  const variable = (key: string, pattern: RegExp, expected: string, optional = false): string => {
    const value = env[key] ?? '';
    if (pattern.test(value) || (optional && value === '')) return value;
    throw new CniError(
      errorCodes.invalidEnvironment,
      `${key} is ${value === '' ? 'missing' : `'${value}'`}: the runtime has to set it to ${expected}.`,
    );
  };
  const pairs = (env.CNI_ARGS ?? '').split(';').filter((pair) => pair !== '');
  const args = new Map(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1)
        throw new CniError(
          errorCodes.invalidEnvironment,
          `CNI_ARGS has '${pair}': the runtime has to set it to pairs such as K8S_POD_NAME=a;K8S_POD_NAMESPACE=b.`,
        );
      return [pair.slice(0, at), pair.slice(at + 1)] as const;
    }),
  );
  const argument = (key: string): string => {
    const value = args.get(key) ?? '';
    if (name.test(value)) return value;
    throw new CniError(
      errorCodes.invalidEnvironment,
      `CNI_ARGS has ${value === '' ? `no ${key}` : `${key}=${value}`}: the runtime has to say which pod the sandbox is of, K8S_POD_NAMESPACE=a;K8S_POD_NAME=b.`,
    );
  };
  const given = args.get('IP');
  const wanted = given === undefined ? undefined : address.safeParse(given);
  if (wanted?.success === false)
    throw new CniError(
      errorCodes.invalidEnvironment,
      `CNI_ARGS has IP=${given}: the runtime has to set it to one IPv4 address that a pod can have, or leave it out.`,
    );
  return {
    containerId: variable('CNI_CONTAINERID', /^[a-zA-Z0-9][\w.-]{0,199}$/, "the container's id"),
    netns: variable('CNI_NETNS', /^\/./, "the path of the sandbox's network namespace", command === 'DEL'),
    ifName: variable(
      'CNI_IFNAME',
      /^(?!\.{1,2}$)[^\s/:]{1,15}$/,
      "the name of the pod's interface, of at most 15 characters",
    ),
    namespace: argument('K8S_POD_NAMESPACE'),
    pod: argument('K8S_POD_NAME'),
    ...(wanted !== undefined && { address: wanted.data }),
    path: (env.CNI_PATH ?? '').split(':').filter((directory) => directory !== ''),
  };
}
