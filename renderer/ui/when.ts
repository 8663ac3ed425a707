const stamp = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

/** A date and time as every list shows it, whatever the system's language: "3/4" is two different days. */
export const dateAndTime = (at: number): string => stamp.format(at)
