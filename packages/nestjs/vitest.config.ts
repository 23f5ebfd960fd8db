import { project } from "../../vitest.shared.ts";

const nestjs = project("nestjs", { typeTests: true });

export default {
  ...nestjs,
  // The decorators of Nest are those of `experimentalDecorators`.
  oxc: { decorator: { legacy: true } },
} satisfies typeof nestjs;
