/** The languages of cells and programs. By themselves, so that naming them does not load the whole contract. */
export const languages = ['python', 'javascript', 'typescript', 'bash'] as const
export type Language = (typeof languages)[number]
