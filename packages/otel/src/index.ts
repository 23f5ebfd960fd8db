export {
  createOtelObservabilityAdapter,
  type OtelObservabilityAdapterOptions,
} from "./create-otel-observability-adapter.ts";
export { observeState, type ObserveStateOptions, type StateObservation } from "./observe-state.ts";
