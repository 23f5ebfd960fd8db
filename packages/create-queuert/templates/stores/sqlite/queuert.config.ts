import { defineConfig } from "@queuert/cli";
import { jobTypes } from "./jobs/job-types.ts";

export default defineConfig({ url: "sqlite:app.db", jobTypeDefinitions: jobTypes });
