import { project } from "../../vitest.shared.ts";

const examples = project("examples", { services: ["mongodb", "nats", "postgres", "redis"] });

export default {
  ...examples,
  // The decorators of Nest are those of `experimentalDecorators`.
  oxc: { decorator: { legacy: true } },
} satisfies typeof examples;
