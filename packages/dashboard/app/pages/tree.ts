// The pages with the lanes of a tree, in one file that is loaded when the first of them is opened.
export { JobPage } from "./job.tsx";
export { SequencePage } from "./sequence.tsx";
