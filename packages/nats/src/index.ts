export {
  createNatsNotifyAdapter,
  type NatsNotifyAdapterOptions,
} from "./create-nats-notify-adapter.ts";
export type { NatsConnection } from "./nats-connection.ts";
