#!/usr/bin/env node
/** The CNI plugin as an executable of its own: a runtime calls a plugin by the name that is its `type`. */
import { runPlugin } from '../cni/process.ts';

await runPlugin();
