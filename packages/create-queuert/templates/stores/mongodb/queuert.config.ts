import { defineConfig } from "@queuert/cli";
import { jobTypes } from "./jobs/job-types.ts";

export default defineConfig({
  url: process.env["DATABASE_URL"] ?? "mongodb://localhost:27017/app?directConnection=true",
  jobTypeDefinitions: jobTypes,
});
