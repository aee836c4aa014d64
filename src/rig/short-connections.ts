/** The store as processes see it that live for one call each, such as those of a CNI plugin. */
import type { EndpointRegistry } from '../cni/endpoint-registry.ts';
import type { Endpoint } from '../etcd/endpoint.ts';
import type { EndpointName } from '../etcd/endpoint-keys.ts';
import { EndpointWriter, type RecordRead } from '../etcd/endpoint-writer.ts';
import type { StoreOptions } from '../etcd/options.ts';

/** Makes its connections anew for each call, so that it has none that has died silently. */
export class ShortConnections implements EndpointRegistry {
  readonly #options: () => StoreOptions;

  /** @param options - asked before each call */
  constructor(options: () => StoreOptions) {
    this.#options = options;
  }

  write(endpoint: Endpoint): Promise<bigint> {
    return this.#with((writer) => writer.write(endpoint));
  }

  erase(endpoint: EndpointName, containerId: string): Promise<boolean> {
    return this.#with((writer) => writer.erase(endpoint, containerId));
  }

  read(endpoint: EndpointName): Promise<RecordRead | undefined> {
    return this.#with((writer) => writer.read(endpoint));
  }

  close(): void {}

  async #with<T>(call: (writer: EndpointWriter) => Promise<T>): Promise<T> {
    const writer = new EndpointWriter(this.#options());
    try {
      return await call(writer);
    } finally {
      writer.close();
    }
  }
}
