export {
  createRedisNotifyAdapter,
  type RedisNotifyAdapterOptions,
} from "./create-redis-notify-adapter.ts";
export type { RedisNotifyProvider } from "./redis-provider.ts";
