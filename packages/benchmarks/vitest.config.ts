import { project } from "../../vitest.shared.ts";

export default project("benchmarks", { services: ["mongodb", "postgres"] });
