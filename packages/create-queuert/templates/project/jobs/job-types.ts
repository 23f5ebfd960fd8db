import { defineUnionJobTypes } from "queuert";

/** The jobs of this application: their names, inputs and outputs. */
export const jobTypes = defineUnionJobTypes<{
  welcome: { input: { email: string }; output: { sent: boolean } };
}>();
