import { project } from "../../vitest.shared.ts";

const otel = project("otel", { services: ["postgres"] });

export default {
  ...otel,
  // Without "module": what OpenTelemetry has under that condition is for bundlers, and Node cannot load it.
  ssr: { resolve: { conditions: ["@queuert/source", "node", "development|production"] } },
} satisfies typeof otel;
