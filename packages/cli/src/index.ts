export {
  type Config,
  type ConfiguredStateAdapter,
  defineConfig,
  type ImportConfig,
  type StoreConfig,
} from "./config/define-config.ts";
export type { ImportedJob } from "./import/source.ts";
