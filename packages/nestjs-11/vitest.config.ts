// The tests of `@queuert/nestjs`, with NestJS 11 in the place of the version that the package itself is tested with.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { project } from "../../vitest.shared.ts";

const { resolve } = createRequire(import.meta.url);
const nestjs = project("nestjs-11", { include: ["test/nest-application.test.ts"] });

export default {
  ...nestjs,
  test: {
    ...nestjs.test,
    dir: fileURLToPath(new URL("../nestjs", import.meta.url)),
    env: { QUEUERT_NEST_MAJOR: "11" },
  },
  resolve: {
    alias: ["@nestjs/common", "@nestjs/core"].map((find) => ({
      find: new RegExp(`^${find}$`),
      replacement: resolve(find),
    })),
  },
  // The decorators of Nest are those of `experimentalDecorators`.
  oxc: { decorator: { legacy: true } },
};
