import { project } from "../../vitest.shared.ts";

export default project("create-queuert", { services: ["mongodb", "postgres"] });
