/** `routeproof cni`: the CNI plugin. */
import type { Command } from 'commander';

/** Adds the command. */
export function addCni(program: Command): void {
  program
    .command('cni')
    .summary('be called by a container runtime, as a CNI plugin')
    .description(
      "Connects pods to this node, as a plugin of the Container Network Interface, version 1.0.0, 0.4.0 or 0.3.1. A runtime executes 'routeproof-cni', which is the same. The call is in CNI_COMMAND and the other variables of the specification, the network configuration on standard input. The result, or an error with its number, goes to standard output.",
    )
    .addHelpText('after', configuration)
    .action(async () => {
      // etcd's client is for those who need it: other commands start without.
      const { runPlugin } = await import('../cni/process.ts');
      await runPlugin();
    });
}

const configuration = `
Network configuration:
  type               routeproof-cni
  etcd_endpoints     the store's members, separated by commas, such as
                     https://10.0.0.1:2379
  etcd_ca_cert_file, etcd_cert_file, etcd_key_file, etcd_username, etcd_password
                     how it is spoken to
  prefix             what the keys of endpoints begin with (default: Calico's)
  nodename           as the agent has it (default: the host's name)
  order              endpoint-first or route-first (default: endpoint-first,
                     which the model recommends)
  claims_dir         where claims are (default: /run/routeproof/claims)
  ipam               a plugin for addresses, such as
                     {"type": "host-local", "subnet": "10.1.0.0/24"}; without it
                     the runtime gives the address, by runtimeConfig.ips or by
                     IP= in CNI_ARGS

For tests: ROUTEPROOF_CNI_CRASH_AFTER=<step> has the plugin kill itself after a
step: cni.made.interface, cni.added.route, cni.wrote.endpoint,
cni.removed.interface or cni.erased.endpoint.

Exit codes:
  0    done
  1    an error, which is on standard output
`;
