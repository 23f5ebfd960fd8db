/** The error of a promise. If the promise resolves, the case fails. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> => {
  let answer: unknown;
  try {
    answer = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`Expected a rejection, got ${JSON.stringify(answer)}`);
};
