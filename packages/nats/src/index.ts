export {
  createNatsNotifyAdapter,
  type NatsNotifyAdapterOptions,
} from "./create-nats-notify-adapter.ts";
export type { NatsConnection, NatsKv } from "./nats-connection.ts";
