// Choices of the person, kept by this browser. A browser may refuse storage. Then a choice lasts as long as the page.

export const readKept = (name: string): string | null => {
  try {
    return localStorage.getItem(`queuert-${name}`);
  } catch {
    return null;
  }
};

export const keep = (name: string, value: string): void => {
  try {
    localStorage.setItem(`queuert-${name}`, value);
  } catch (error) {
    console.debug("The choice is not kept.", error);
  }
};
