import { fileURLToPath } from "node:url";
import { project } from "../../vitest.shared.ts";

const { test, ...rest } = project("cli", { services: ["mongodb", "postgres"] });
const install = fileURLToPath(new URL("./test/install-packages.ts", import.meta.url));

export default { ...rest, test: { ...test, globalSetup: [...(test?.globalSetup ?? []), install] } };
