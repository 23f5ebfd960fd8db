import { project } from "../../vitest.shared.ts";

export default project("torture", { services: ["postgres", "mongodb"] });
