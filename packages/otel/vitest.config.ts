import { project } from "../../vitest.shared.ts";

const otel = project("otel", { services: ["postgres"] });

export default {
  ...otel,
  // Without "module": Node cannot load the files of OpenTelemetry under that condition, which are for bundlers.
  ssr: { resolve: { conditions: ["@queuert/source", "node", "development|production"] } },
} satisfies typeof otel;
