/** A kernel that is kept in memory, for machines where none may be changed. What is asked of it becomes what it would become. */
import { Announcer } from './announcer.ts';
import {
  type Interface,
  type Kernel,
  KernelError,
  type KernelState,
  type Route,
  type RouteMatch,
  type RouteOutcome,
} from './kernel.ts';
import { judgeAdd, judgeRemove } from './request.ts';

/** A kernel in memory: it does to routes what Linux does, and its interfaces are made by hand. It has no `lo`. */
export class MemoryKernel implements Kernel {
  readonly #interfaces = new Map<string, Interface>();
  readonly #routes = new Map<string, Route>();
  readonly #watchers = new Set<Announcer>();
  #lastIndex = 0;
  #closed = false;

  /**
   * Makes an interface, with an index that none had before.
   *
   * @param wanted - it is up unless `up` is false
   * @throws Error if there is one of that name
   */
  createInterface(wanted: {
    readonly name: string;
    readonly alias: string;
    readonly up?: boolean;
  }): Interface {
    if (this.#interfaces.has(wanted.name)) throw new Error(`there is an interface ${wanted.name} already`);
    this.#lastIndex++;
    const created = { name: wanted.name, index: this.#lastIndex, up: wanted.up ?? true, alias: wanted.alias };
    this.#interfaces.set(created.name, created);
    this.#announce();
    return created;
  }

  /**
   * Takes an interface away and the routes over it along.
   *
   * @throws Error if there is none of that name
   */
  removeInterface(name: string): void {
    const { index } = this.#named(name);
    this.#interfaces.delete(name);
    this.#dropRoutes(index);
    this.#announce();
  }

  /**
   * Sets an interface up or down; routes over one that goes down are gone.
   *
   * @throws Error if there is none of that name
   */
  setUp(name: string, up: boolean): void {
    const found = this.#named(name);
    this.#interfaces.set(name, { ...found, up });
    if (!up) this.#dropRoutes(found.index);
    this.#announce();
  }

  async list(): Promise<KernelState> {
    this.#assertOpen();
    return { interfaces: [...this.#interfaces.values()], routes: [...this.#routes.values()] };
  }

  async add(routes: readonly Route[]): Promise<RouteOutcome[]> {
    this.#assertOpen();
    return routes.map((route) => judgeAdd(route) ?? this.#add(route));
  }

  async remove(routes: readonly RouteMatch[]): Promise<RouteOutcome[]> {
    this.#assertOpen();
    return routes.map((match) => judgeRemove(match) ?? this.#remove(match));
  }

  watch(changed: () => void): () => void {
    this.#assertOpen();
    const announcer = new Announcer(changed);
    this.#watchers.add(announcer);
    announcer.announce();
    return () => {
      announcer.stop();
      this.#watchers.delete(announcer);
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const each of this.#watchers) each.stop();
    this.#watchers.clear();
  }

  #add({ destination, index, protocol }: Route): RouteOutcome {
    // Linux looks at the interface first: over one that is down nothing exists.
    const over = [...this.#interfaces.values()].find((each) => each.index === index);
    if (over?.up !== true) return 'absent';
    if (this.#routes.has(destination)) return 'exists';
    this.#routes.set(destination, { destination, index, protocol });
    this.#announce();
    return 'done';
  }

  #remove({ destination, index, protocol }: RouteMatch): RouteOutcome {
    const found = this.#routes.get(destination);
    if (
      found === undefined ||
      found.index !== (index ?? found.index) ||
      found.protocol !== (protocol ?? found.protocol)
    ) {
      return 'absent';
    }
    this.#routes.delete(destination);
    this.#announce();
    return 'done';
  }

  #dropRoutes(index: number): void {
    for (const each of this.#routes.values()) {
      if (each.index === index) this.#routes.delete(each.destination);
    }
  }

  #named(name: string): Interface {
    const found = this.#interfaces.get(name);
    if (found === undefined) throw new Error(`there is no interface ${name}`);
    return found;
  }

  #announce(): void {
    for (const each of this.#watchers) each.announce();
  }

  #assertOpen(): void {
    if (this.#closed) throw new KernelError('the kernel is closed');
  }
}
