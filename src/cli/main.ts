#!/usr/bin/env node
/** The command. Results go to standard output, everything else to standard error. */
import { Command, CommanderError } from 'commander';
import { ExportError } from '../export/export-error.ts';
import { reasonOf } from '../reason-of.ts';
import { SystemError } from '../system.ts';
import { addAgent } from './agent.ts';
import { addCheck } from './check.ts';
import { addCni } from './cni.ts';
import { addCompare } from './compare.ts';
import { addDiagram } from './diagram.ts';
import { addExport } from './export.ts';
import { addFuzz } from './fuzz.ts';
import { addList } from './list.ts';
import { addMerge } from './merge.ts';
import { columnsOr } from './page.ts';
import { addReplay } from './replay.ts';
import { UsageError } from './usage-error.ts';
import { addValidate } from './validate.ts';
import { version } from './version.ts';

/** The exit code for what the user or the tool did wrong. */
const errorCode = 2;

function program(): Command {
  const command = new Command('routeproof')
    .description(
      "An executable specification of a Kubernetes node's route reconciler, and its model checker.",
    )
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .configureHelp({ helpWidth: columnsOr(80) })
    .exitOverride();
  command.commandsGroup('Deciding:');
  addCheck(command);
  addCompare(command);
  addFuzz(command);
  addMerge(command);
  addReplay(command);
  addValidate(command);
  command.commandsGroup('Looking:');
  addList(command);
  addDiagram(command);
  addExport(command);
  command.commandsGroup('Running:');
  addAgent(command);
  addCni(command);
  return command;
}

/** 128 and the number of SIGPIPE: what a shell reports of a program that its reader ended. */
const endedByReader = 141;
/** Whether the command has come to its end, so that its exit code says all that it found. */
let finished = false;

/**
 * A reader that has seen enough, such as `head`, is no error; but what was not looked at yet has no verdict. A full disk is
 * one, and leaves no verdict.
 */
function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(finished ? process.exitCode : endedByReader);
    if (stream === process.stdout)
      process.stderr.write(
        `error: standard output cannot be written (${reasonOf(error)}). Free the place or choose another.\n`,
      );
    process.exit(errorCode);
  });
}

async function main(): Promise<void> {
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  try {
    await program().parseAsync();
    finished = true;
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : errorCode;
      return;
    }
    process.exitCode = errorCode;
    if (error instanceof UsageError || error instanceof SystemError || error instanceof ExportError)
      process.stderr.write(`error: ${error.message}\n`);
    else process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  }
}

await main();
