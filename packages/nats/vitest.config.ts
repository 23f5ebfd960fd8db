import { project } from "../../vitest.shared.ts";

export default project("nats", { services: ["nats", "postgres"] });
