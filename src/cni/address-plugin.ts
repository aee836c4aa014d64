/** The plugin for addresses that the configuration names, executed as the specification says. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { CniError, errorCodes } from './cni-error.ts';
import { type ReadResult, resultSchema, type SandboxCommand } from './configuration.ts';

const failureSchema = z.looseObject({
  code: z.number(),
  msg: z.string().default(''),
  details: z.string().default(''),
});

/** Calls a plugin with the environment and the standard input that this one was called with. */
export class AddressPlugin {
  readonly #type: string;
  readonly #path: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #stdin: string;

  constructor(type: string, path: readonly string[], env: NodeJS.ProcessEnv, stdin: string) {
    this.#type = type;
    this.#path = path;
    this.#env = env;
    this.#stdin = stdin;
  }

  /** Has an address assigned. After a failure none is: the plugin is called with DEL, as the specification asks. */
  async add(): Promise<ReadResult> {
    try {
      return this.#result(await this.#call('ADD'));
    } catch (error) {
      // What is told is why ADD failed. The runtime's own DEL comes too.
      await this.#call('DEL').catch(() => undefined);
      throw error;
    }
  }

  /** Gives the address back. */
  async delete(): Promise<void> {
    await this.#call('DEL');
  }

  async check(): Promise<void> {
    await this.#call('CHECK');
  }

  #result(stdout: string): ReadResult {
    let json: unknown;
    try {
      json = JSON.parse(stdout);
    } catch (error) {
      throw new CniError(
        errorCodes.addressPlugin,
        `The plugin '${this.#type}' answered with something that is not JSON. Mend 'ipam' in the network configuration, or the plugin.`,
        String(error),
      );
    }
    const parsed = resultSchema.safeParse(json);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new CniError(
      errorCodes.addressPlugin,
      `The plugin '${this.#type}' answered with no result that can be used: '${issue?.path.join('.')}': ${issue?.message}. Mend 'ipam' in the network configuration.`,
    );
  }

  async #call(command: SandboxCommand): Promise<string> {
    const child = spawn(await this.#executable(), [], {
      env: { ...this.#env, CNI_COMMAND: command },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    // A plugin need not read what it does not want, and its end tells more than the broken pipe.
    child.stdin.on('error', () => undefined);
    child.stdin.end(this.#stdin);
    let stdout: string;
    let code: unknown;
    try {
      [stdout, [code]] = await Promise.all([text(child.stdout), ended]);
    } catch (error) {
      throw new CniError(
        errorCodes.addressPlugin,
        `The plugin '${this.#type}' cannot be executed. Install it anew.`,
        String(error),
      );
    }
    if (code === 0) return stdout;
    throw this.#failure(command, stdout, code);
  }

  #failure(command: SandboxCommand, stdout: string, exit: unknown): CniError {
    try {
      const { code, msg, details } = failureSchema.parse(JSON.parse(stdout));
      return new CniError(code, `The plugin '${this.#type}' failed at ${command}: ${msg}`, details);
    } catch {
      return new CniError(
        errorCodes.addressPlugin,
        `The plugin '${this.#type}' failed at ${command} and did not say why. See what it logged.`,
        `exit code ${String(exit)}, answer: ${stdout.slice(0, 500)}`,
      );
    }
  }

  async #executable(): Promise<string> {
    for (const directory of this.#path) {
      const file = join(directory, this.#type);
      const found = await access(file, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (found) return file;
    }
    throw new CniError(
      errorCodes.invalidConfiguration,
      `There is no plugin '${this.#type}' in CNI_PATH (${this.#path.join(':') || 'which is empty'}). Install it there, or change 'ipam.type'.`,
    );
  }
}
