import { z } from 'zod'

/** Names of templates and of Debian packages: both end up in commands and image names. */
export const TemplateName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'Small letters, digits and - only.')
export const PackageName = z.string().regex(/^[a-z0-9][a-z0-9.+-]{1,63}$/, 'This is not the name of a Debian package.')
