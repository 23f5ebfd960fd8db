/** Steps in structures with many jobs. Tests of cost count them, because times prove little. */
export const workCount: { steps: number } = { steps: 0 };
