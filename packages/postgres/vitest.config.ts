import { project } from "../../vitest.shared.ts";

export default project("postgres", { services: ["postgres", "postgres-18"] });
