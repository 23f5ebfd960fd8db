import { project } from "../../vitest.shared.ts";

export default project("redis", { services: ["redis", "redis-cluster", "postgres"] });
