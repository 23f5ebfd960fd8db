/** Steps taken in structures that hold many jobs: what the tests of cost count, since times prove little. */
export const workCount: { steps: number } = { steps: 0 };
