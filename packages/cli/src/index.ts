export {
  type Config,
  type ConfiguredStateAdapter,
  defineConfig,
  type StoreConfig,
} from "./config/define-config.ts";
