import { project } from "../../vitest.shared.ts";

export default project("examples", { services: ["mongodb", "nats", "postgres", "redis"] });
