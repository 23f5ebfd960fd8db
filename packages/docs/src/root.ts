import { fileURLToPath } from "node:url";

export const rootDir: string = fileURLToPath(new URL("../../..", import.meta.url));
