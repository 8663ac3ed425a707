/** Line ends and controls would break the line that shows a name, and the others turn it around. */
const turning = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]+/gu
/** What shows nothing at all: two names could look the same. */
const unseen = /\p{Default_Ignorable_Code_Point}|\p{Co}|\p{Cn}|\p{Cs}/u

/** A name as one line that reads from its start to its end, wherever it came from. */
export const plainName = (text: string): string => text.replace(turning, ' ').trim()

export const showsItself = (name: string): boolean => !unseen.test(name)
