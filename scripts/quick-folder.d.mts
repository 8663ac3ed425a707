export function quickFolder(parent?: string): { readonly folder: string; remove(): void } | null
