// The addresses that globalSetup gives to the tests, by key, in plain data: they cross to another
// process.
export type ClusterNode = { host: string; port: number };

declare module "vitest" {
  interface ProvidedContext {
    /** The path of the program. */
    "queuert:chromium": string;
    "queuert:mongodb": string;
    "queuert:nats": string;
    "queuert:postgres": string;
    "queuert:postgres-18": string;
    "queuert:redis": string;
    "queuert:redis-cluster": readonly ClusterNode[];
  }
}
