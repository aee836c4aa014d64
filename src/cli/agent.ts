/** `routeproof agent`: a design of the reconciler, for real. */
import { type Command, Option } from 'commander';
import type { Parameters } from '../../models/index.ts';
import { collectParameter, positive } from './instance.ts';

/** The options of the command, as commander collects them. */
export interface AgentCommandOptions {
  readonly design: string;
  readonly param?: Partial<Parameters>;
  readonly timeScale: number;
  readonly etcdEndpoints: string;
  readonly etcdCaCertFile?: string;
  readonly etcdCertFile?: string;
  readonly etcdKeyFile?: string;
  readonly etcdUsername?: string;
  readonly etcdPassword?: string;
  readonly dialTimeout: number;
  readonly prefix?: string;
  readonly node?: string;
  readonly interfaces: string;
  readonly netns?: string;
  readonly claims?: string;
  readonly refresh: number;
  readonly resync: number;
  readonly listen?: string;
  readonly logLevel: string;
  readonly logFormat: 'pretty' | 'json';
  readonly trace?: string;
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

/** Adds the command. */
export function addAgent(program: Command): void {
  program
    .command('agent')
    .summary('run a design for real: on etcd and kernel routes')
    .description(
      "Watches the endpoints of a node in etcd and keeps the kernel's routes in step with them, as the chosen design does: its machines decide, on real time.",
    )
    .optionsGroup('What it runs:')
    .option('--design <id>', "id of a design, see 'routeproof list'", 'fenced')
    .option('-p, --param <name=seconds>', 'a number of the design; can be repeated', collectParameter)
    .option(
      '--time-scale <factor>',
      'multiply every duration by this, for tests',
      positive('--time-scale'),
      1,
    )
    .optionsGroup('The store:')
    .addOption(
      new Option('--etcd-endpoints <urls>', "etcd's client URLs, separated by commas")
        .env('ETCD_ENDPOINTS')
        .default('http://127.0.0.1:2379'),
    )
    .addOption(new Option('--etcd-ca-cert-file <file>', 'PEM').env('ETCD_CA_CERT_FILE'))
    .addOption(new Option('--etcd-cert-file <file>', 'PEM').env('ETCD_CERT_FILE'))
    .addOption(new Option('--etcd-key-file <file>', 'PEM').env('ETCD_KEY_FILE'))
    .addOption(new Option('--etcd-username <name>', 'user').env('ETCD_USERNAME'))
    .addOption(
      new Option('--etcd-password <text>', 'its password; better given as a variable').env('ETCD_PASSWORD'),
    )
    .option(
      '--dial-timeout <seconds>',
      'how long a member may take to answer',
      positive('--dial-timeout'),
      10,
    )
    .addOption(
      new Option('--prefix <prefix>', "where the endpoints are; ends with '/' (default: Calico's)").env(
        'ROUTEPROOF_PREFIX',
      ),
    )
    .optionsGroup('The node:')
    .addOption(
      new Option('--node <name>', 'whose endpoints to look after (default: the host name)').env('NODENAME'),
    )
    .addOption(
      new Option('--interfaces <pattern>', 'whose routes to look after; several are separated by commas')
        .env('ROUTEPROOF_INTERFACES')
        .default('cali*'),
    )
    .option('--netns <name>', 'look after this network namespace instead of the own one')
    .option('--claims <dir>', "where the CNI plugin's claims are (default: the plugin's)")
    .option('--refresh <seconds>', 'apply at least so often', positive('--refresh'), 10)
    .option(
      '--resync <seconds>',
      'a full resync so often, for designs that know it',
      positive('--resync'),
      90,
    )
    .optionsGroup('What it tells:')
    .option('--listen <host:port>', 'serve /healthz, /readyz and /metrics there')
    .addOption(new Option('--log-level <level>', 'how much').choices(levels).default('info'))
    .addOption(new Option('--log-format <format>', 'how').choices(['pretty', 'json']).default('pretty'))
    .option('--trace <file>', "write each step there, for 'routeproof validate'")
    .addHelpText(
      'after',
      '\nIt needs iproute2, and the right to change routes. It ends with SIGTERM or\nSIGINT and touches no route then.\n\nExit codes:\n  0    ended as it was told to\n  2    wrong usage, another agent in this namespace, its lock lost, or no\n       iproute2\n',
    )
    .action(async (options: AgentCommandOptions) => {
      const { runAgent } = await import('./run-agent.ts');
      await runAgent(options);
    });
}
